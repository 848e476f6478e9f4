import type { ScriptQuantity, Script, ScriptLeg } from '#src/dsl/script.ts';

/**
 * A script that says what a request says, one clause a line; `parseScript` of it gives the request again. Errors:
 * TypeError for a name or a text the grammar has no way to write.
 */
export function formatScript({ chartOfAccountsGroupName, send, ...said }: Script): string {
  const { asset, value, source, distribute } = send;
  return [
    '(transaction V1',
    `  (chart-of-accounts-group-name ${name(chartOfAccountsGroupName)})`,
    ...(said.description === undefined ? [] : [`  (description ${text(said.description)})`]),
    ...(said.code === undefined ? [] : [`  (code ${name(said.code)})`]),
    ...(said.pending === undefined ? [] : [`  (pending ${String(said.pending)})`]),
    ...(said.metadata === undefined ? [] : [`  ${metadata(said.metadata)}`]),
    `  (send ${name(asset)} ${decimal(value)}`,
    `    (source${remaining(source.remaining)}`,
    `${legs('from', source.from)})`,
    `    (distribute${remaining(distribute.remaining)}`,
    `${legs('to', distribute.to)})))`,
    '',
  ].join('\n');
}

const legs = (clause: string, found: readonly ScriptLeg[]): string =>
  found.map((one) => `      (${clause} ${leg(one)})`).join('\n');

function leg({ accountAlias, rate, description, chartOfAccounts, ...said }: ScriptLeg): string {
  return [
    fitting(ACCOUNT, accountAlias),
    quantity(said),
    rate &&
      `(rate ${name(rate.externalId)} ${name(rate.from)} -> ${name(rate.to)} ${decimal(rate.value)})`,
    description !== undefined && `(description ${text(description)})`,
    chartOfAccounts !== undefined && `(chart-of-accounts ${name(chartOfAccounts)})`,
    said.metadata && metadata(said.metadata),
  ]
    .filter((part) => typeof part === 'string')
    .join(' ');
}

function quantity({ amount, share }: ScriptQuantity): string {
  if (amount) return `:amount ${name(amount.asset)} ${decimal(amount.value)}`;
  if (!share) return ':remaining';
  const { percentage, percentageOfPercentage: of } = share;
  return `:share ${String(percentage)}${of === undefined ? '' : ` :of ${String(of)}`}`;
}

const metadata = (found: Readonly<Record<string, string>>): string => {
  const pairs = Object.entries(found).map(([key, value]) => ` (${name(key)} ${name(value)})`);
  return `(metadata${pairs.join('')})`;
};

const remaining = (said: string | undefined): string => (said === undefined ? '' : ' :remaining');

const name = (found: string): string => fitting(NAME, found);
const decimal = (found: string): string => fitting(DECIMAL, found);
const text = (found: string): string => `"${fitting(TEXT, found)}"`;

function fitting(form: RegExp, found: string): string {
  if (!form.test(found)) throw new TypeError(`A script cannot say ${JSON.stringify(found)}`);
  return found;
}

const NAME = /^[A-Za-z0-9_\-/]+$/;
const ACCOUNT = /^(@[A-Za-z0-9_\-/]*|[A-Za-z0-9_\-/]+)$/;
const DECIMAL = /^\d+(\.\d+)?$/;
const TEXT = /^[^"]*$/;

import type { Revision, Uuid } from '#src/kernel/ids.ts';
import {
  usesRoute,
  type OperationRouteRule,
  type RouteRules,
  type TransactionRouteRule,
} from '#src/events/ledger/route-rules.ts';
import { unreachable } from '#src/kernel/unreachable.ts';
import type {
  OperationRouteRecord,
  RouteEvent,
  TransactionRouteRecord,
} from '#src/events/ledger/routes.ts';

/** The live routes of a ledger or an organization: their rules, without titles and metadata. */
export class RouteBook {
  readonly #operationRoutes = new Map<Uuid, OperationRouteRule>();
  readonly #transactionRoutes = new Map<Uuid, TransactionRouteRule>();
  #rules: RouteRules | undefined;

  operationRoute(id: Uuid): OperationRouteRule | undefined {
    return this.#operationRoutes.get(id);
  }

  transactionRoute(id: Uuid): TransactionRouteRule | undefined {
    return this.#transactionRoutes.get(id);
  }

  isUsed(operationRouteId: Uuid): boolean {
    return usesRoute(this.rules(), operationRouteId);
  }

  /** An immutable copy that other journals may keep; each change of the routes makes a new one. */
  rules(): RouteRules {
    return (this.#rules ??= {
      operationRoutes: new Map(this.#operationRoutes),
      transactionRoutes: new Map(this.#transactionRoutes),
    });
  }

  evolve({ type, data }: RouteEvent, revision: Revision): void {
    this.#rules = undefined;
    switch (type) {
      case 'OperationRouteCreated':
      case 'OperationRouteUpdated':
        this.#putOperationRoute(operationRule(data.operationRoute, revision));
        break;
      case 'OperationRouteDeleted':
        this.#operationRoutes.delete(data.operationRoute.id);
        break;
      case 'TransactionRouteCreated':
      case 'TransactionRouteUpdated':
        this.#putTransactionRoute(transactionRule(data.transactionRoute, revision));
        break;
      case 'TransactionRouteDeleted':
        this.#transactionRoutes.delete(data.transactionRoute.id);
        break;
      default:
        unreachable(type);
    }
  }

  /** The facts for other journals; empty if there are no routes. */
  fact(): Readonly<{ routes?: RouteRules }> {
    const none = this.#operationRoutes.size + this.#transactionRoutes.size === 0;
    return none ? {} : { routes: this.rules() };
  }

  /** Chunks of about 256 KB, none if there are no routes. */
  *toSnapshot(): Iterable<string> {
    let rules: string[] = [];
    let length = 0;
    for (const rule of [...this.#operationRoutes.values(), ...this.#transactionRoutes.values()]) {
      const text = JSON.stringify(rule);
      rules.push(text);
      length += text.length;
      if (length < CHUNK_CHARACTERS) continue;
      yield SNAPSHOT_START + rules.join(',') + ']}';
      rules = [];
      length = 0;
    }
    if (rules.length > 0) yield SNAPSHOT_START + rules.join(',') + ']}';
  }

  fromSnapshot(chunk: string): void {
    const { routes } = JSON.parse(chunk) as RouteSnapshot;
    for (const rule of routes) {
      if ('operationType' in rule) this.#putOperationRoute(rule);
      else this.#putTransactionRoute(rule);
    }
  }

  #putOperationRoute(rule: OperationRouteRule): void {
    this.#operationRoutes.set(rule.id, rule);
  }

  #putTransactionRoute(rule: TransactionRouteRule): void {
    this.#transactionRoutes.set(rule.id, rule);
  }
}

/** Recognizes a chunk of a snapshot that a RouteBook wrote. */
export const isRouteSnapshot = (chunk: string): boolean => chunk.startsWith(SNAPSHOT_START);

type RouteSnapshot = Readonly<{ routes: readonly (OperationRouteRule | TransactionRouteRule)[] }>;

const SNAPSHOT_START = '{"routes":[';
const CHUNK_CHARACTERS = 256 * 1024;

const operationRule = (
  { id, operationType, account, accountingEntries }: OperationRouteRecord,
  revision: Revision,
): OperationRouteRule => ({
  id,
  operationType,
  ...(account !== undefined && { account }),
  ...(accountingEntries !== undefined && { accountingEntries }),
  revision,
});

const transactionRule = (
  { id, operationRoutes }: TransactionRouteRecord,
  revision: Revision,
): TransactionRouteRule => ({ id, operationRoutes, revision });

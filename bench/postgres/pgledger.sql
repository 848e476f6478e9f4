-- A ledger inside PostgreSQL in the style of pgledger: accounts with a version, transfers, and two entries each
-- that carry the balance before and after. psql variable: accounts.

-- Ids that sort by time and say what they are of: 48 bits of milliseconds, then chance.
CREATE FUNCTION sortable_id(kind text) RETURNS text LANGUAGE sql VOLATILE AS $$
  SELECT kind || '_' || lpad(to_hex((extract(epoch FROM clock_timestamp()) * 1000)::bigint), 12, '0')
    || replace(right(gen_random_uuid()::text, 23), '-', '')
$$;

CREATE TABLE account (
  id text PRIMARY KEY DEFAULT sortable_id('acc'),
  name text NOT NULL UNIQUE,
  currency text NOT NULL,
  balance numeric NOT NULL DEFAULT 0,
  version bigint NOT NULL DEFAULT 0,
  may_be_negative boolean NOT NULL,
  may_be_positive boolean NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
) WITH (fillfactor = 50); -- Room for new row versions on the same page.

CREATE TABLE transfer (
  id text PRIMARY KEY DEFAULT sortable_id('tra'),
  key text NOT NULL UNIQUE,
  source text NOT NULL REFERENCES account,
  target text NOT NULL REFERENCES account,
  amount numeric NOT NULL CHECK (amount > 0),
  created_at timestamptz NOT NULL DEFAULT now(),
  CHECK (source <> target)
);
CREATE INDEX ON transfer (source);
CREATE INDEX ON transfer (target);

CREATE TABLE entry (
  id text PRIMARY KEY DEFAULT sortable_id('ent'),
  account text NOT NULL REFERENCES account,
  transfer text NOT NULL REFERENCES transfer,
  amount numeric NOT NULL,
  balance_before numeric NOT NULL,
  balance_after numeric NOT NULL,
  account_version bigint NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX ON entry (account);
CREATE INDEX ON entry (transfer);

INSERT INTO account (name, currency, balance, may_be_negative, may_be_positive)
SELECT 'bench-' || n, 'BRL', 1000000000, false, true FROM generate_series(0, :accounts - 1) n;

-- Moves one account and records it.
CREATE FUNCTION enter(the_transfer text, the_account text, change numeric) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  moved account%ROWTYPE;
BEGIN
  UPDATE account SET balance = balance + change, version = version + 1, updated_at = now()
  WHERE id = the_account RETURNING * INTO STRICT moved;

  IF moved.balance < 0 AND NOT moved.may_be_negative THEN
    RAISE EXCEPTION 'account % may not be negative', moved.name;
  END IF;
  IF moved.balance > 0 AND NOT moved.may_be_positive THEN
    RAISE EXCEPTION 'account % may not be positive', moved.name;
  END IF;
  INSERT INTO entry (account, transfer, amount, balance_before, balance_after, account_version)
  VALUES (moved.id, the_transfer, change, moved.balance - change, moved.balance, moved.version);
END $$;

-- Returns the id of the transfer; of the one made before, when the key is known.
CREATE FUNCTION move(the_key text, payer text, payee text, sum numeric) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
  made text;
  source_account account%ROWTYPE;
  target_account account%ROWTYPE;
BEGIN
  PERFORM FROM account WHERE name IN (payer, payee) ORDER BY id FOR UPDATE;
  SELECT * INTO STRICT source_account FROM account WHERE name = payer;
  SELECT * INTO STRICT target_account FROM account WHERE name = payee;
  IF source_account.currency <> target_account.currency THEN
    RAISE EXCEPTION 'accounts % and % differ in currency', payer, payee;
  END IF;

  INSERT INTO transfer (key, source, target, amount)
  VALUES (the_key, source_account.id, target_account.id, sum)
  ON CONFLICT (key) DO NOTHING RETURNING id INTO made;
  IF made IS NULL THEN
    SELECT id INTO STRICT made FROM transfer WHERE key = the_key;
    RETURN made;
  END IF;

  PERFORM enter(made, source_account.id, -sum);
  PERFORM enter(made, target_account.id, sum);
  RETURN made;
END $$;

-- What has to be true after a run: as many transfers as were answered, two entries each, no money made or lost.
CREATE VIEW books AS
SELECT (SELECT count(*) FROM transfer) AS transfers,
       (SELECT sum(balance) FROM account) = 1000000000::numeric * :accounts
         AND (SELECT count(*) FROM entry) = 2 * (SELECT count(*) FROM transfer)
         AND (SELECT sum(version) FROM account) = (SELECT count(*) FROM entry) AS balanced;

VACUUM ANALYZE;

-- The least a ledger in PostgreSQL can do: one function that locks, checks, moves and records.
-- psql variable: accounts.

CREATE TABLE account (
  id bigint PRIMARY KEY,
  balance numeric NOT NULL
) WITH (fillfactor = 50); -- Room for new row versions on the same page.

CREATE TABLE transfer (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  key text NOT NULL UNIQUE,
  source bigint NOT NULL,
  target bigint NOT NULL,
  amount numeric NOT NULL,
  made_at timestamptz NOT NULL DEFAULT now()
);

INSERT INTO account SELECT n, 1000000000 FROM generate_series(0, :accounts - 1) n;

-- Returns the number of the transfer; of the one made before, when the key is known.
CREATE FUNCTION move(the_key text, payer bigint, payee bigint, sum numeric) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
  made bigint;
  funds numeric;
BEGIN
  PERFORM FROM account WHERE id IN (payer, payee) ORDER BY id FOR UPDATE;

  INSERT INTO transfer (key, source, target, amount) VALUES (the_key, payer, payee, sum)
  ON CONFLICT (key) DO NOTHING RETURNING id INTO made;
  IF made IS NULL THEN
    SELECT id INTO STRICT made FROM transfer WHERE key = the_key;
    RETURN made;
  END IF;

  UPDATE account SET balance = balance - sum WHERE id = payer RETURNING balance INTO STRICT funds;
  IF funds < 0 THEN
    RAISE EXCEPTION 'account % has insufficient funds', payer;
  END IF;
  UPDATE account SET balance = balance + sum WHERE id = payee RETURNING balance INTO STRICT funds;
  RETURN made;
END $$;

-- What has to be true after a run: as many transfers as were answered, and no money made or lost.
CREATE VIEW books AS
SELECT (SELECT count(*) FROM transfer) AS transfers,
       (SELECT sum(balance) FROM account) = 1000000000::numeric * :accounts AS balanced;

VACUUM ANALYZE;

/** The example of contract ledger §8.3: the posting of §9.2. */
export const split = `(transaction V1
  (chart-of-accounts-group-name FUNDING)
  (description "Split payment")
  (send BRL 300.10
    (source
      (from @alice :amount BRL 120.04)
      (from @bob :remaining))
    (distribute
      (to @carol :share 30)
      (to @dave :share 70))))
`;

/** Every clause the grammar has. */
export const whole = `(transaction-template V1
  (chart-of-accounts-group-name 4/21-b)
  (description "Rent, of (May)
and June")
  (code inv-77)
  (pending true)
  (metadata (invoice 77) (12 a/b))
  (send BRL 300|0
    (source :remaining
      (from @alice :amount BRL 120.04|00
        (rate 7c1 BRL -> USD 5.10)
        (description "")
        (chart-of-accounts FUNDS/1)
        (metadata (k v)))
      (from 42 :remaining))
    (distribute :remaining
      (to carol :share 30 :of 50)
      (to @external/BRL :share 070))))`;

"""The story of a small bank, told by the client for Python."""

import json
import os
import uuid

import quipu_client as q

client = q.ApiClient(q.Configuration(host=os.environ["QUIPU_URL"]))
transactions = q.TransactionsApi(client)

organization = q.OrganizationsApi(client).create_organization(
    q.CreateOrganizationRequest(legal_name="Bank of Stories", legal_document="1")
)
ledger = q.LedgersApi(client).create_ledger(
    organization.id, q.CreateLedgerRequest(name="Main", status=q.RequestedStatus("ACTIVE"))
)
at = (organization.id, ledger.id)
q.AssetsApi(client).create_asset(*at, q.CreateAssetRequest(name="Euro", type="currency", code="EUR"))
for alias in ("@alice", "@bob"):
    account = q.CreateAccountRequest(asset_code="EUR", type="deposit", alias=alias)
    q.AccountsApi(client).create_account(*at, account)


def leg(alias, value):
    amount = q.RequestedLegAmount(asset="EUR", value=q.DecimalAboveZero(value))
    return q.RequestedLeg(account_alias=alias, amount=amount)


def key():
    return str(uuid.uuid4())


transactions.create_transaction_inflow(
    *at,
    q.CreateTransactionInflowRequest(
        description="deposit",
        send=q.CreateTransactionInflowRequestSend(
            asset="EUR",
            value=q.DecimalAboveZero("1000"),
            distribute=q.CreateTransactionJsonRequestSendDistribute(to=[leg("@alice", "1000")]),
        ),
    ),
    x_idempotency=key(),
)


def transfer(value, idempotency_key):
    bob = q.RequestedLeg(account_alias="@bob", share=q.RequestedLegShare(percentage=100))
    send = q.CreateTransactionJsonRequestSend(
        asset="EUR",
        value=q.DecimalAboveZero(value),
        source=q.CreateTransactionJsonRequestSendSource(var_from=[leg("@alice", value)]),
        distribute=q.CreateTransactionJsonRequestSendDistribute(to=[bob]),
    )
    request = q.CreateTransactionJsonRequest(description="transfer", send=send)
    return transactions.create_transaction_json(*at, request, x_idempotency=idempotency_key)


once = key()
first = transfer("100.000000000000000000001", once)
second = transfer("100.000000000000000000001", once)


def direct_leg(alias):
    amount = q.OptionalDecimalAboveZero("0.1")
    return q.RequestedLegV2(
        alias=alias, amount=amount, organization_id=organization.id, ledger_id=ledger.id
    )


direct = transactions.create_direct_transaction_with_http_info(
    q.CreateDirectTransactionRequest(
        asset="EUR",
        amount=q.DecimalAboveZero("0.1"),
        description="direct",
        debits=[direct_leg("@alice")],
        credits=[direct_leg("@bob")],
    ),
    x_idempotency=key(),
)
token = direct.headers["X-Consistency-Token"]

try:
    transfer("1000000", key())
    refusal = None
except q.ApiException as error:
    refusal = q.Problem.from_json(error.body).code

listed, cursor = [], None
while True:
    page = transactions.list_transactions(*at, limit=1, cursor=cursor, x_consistency_token=token)
    listed += [one.description for one in page.items]
    cursor = page.next_cursor
    if cursor is None:
        break


def available(alias):
    found = q.BalancesApi(client).list_balances_by_alias(*at, alias, x_consistency_token=token)
    return found.items[0].available


print(
    json.dumps(
        {
            "repeated": first.id == second.id,
            "amount": first.amount,
            "direct": direct.data.actual_instance.debit,
            "refusal": refusal,
            "listed": listed,
            "balances": [available("@alice"), available("@bob")],
        }
    )
)

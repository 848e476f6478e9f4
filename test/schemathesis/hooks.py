"""What schemathesis cannot know: which records there are, and which of its findings are no faults. Each states why."""

import base64
import json
import os
import random
import re
import threading
import urllib.request

import schemathesis
from schemathesis.core.failures import AcceptedNegativeData, ServerError
from schemathesis.core.parameters import ParameterLocation
from schemathesis.openapi.checks import RejectedPositiveData, UndefinedStatusCode, UseAfterFree
from schemathesis.specs.openapi import stateful

# Rules on the form of a request that JSON Schema cannot state; the description lists them in words.
UNSTATED = {
    "AUT-0001": "a hint is a token",
    "AUT-0014": "each grant has members of its own",
    "IDE-0012": "an application has the name of a product",
    "IDE-0021": "a password has four kinds of characters, and neither the username nor the name in the email address",
    "LDG-0048": "a script follows its grammar, and a form needs a file whose name contains .gold",
    "LDG-0049": "a file is not empty",
    "LDG-0079": "a window is at most so long",
    "LDG-0121": "a transaction is not dated in the future",
    "LDG-0140": "an instant is not in the future",
    "LDG-0509": "a hold takes no block exception",
    "LDG-0516": "items of a batch are numbered 1, 2, 3, and all legs are in one ledger",
    "CRM-0019": "a list takes one filter by metadata",
    "CRM-0023": "an instrument is not closed before the day of its creation",
    "CRM-0029": "a related party does not end before it starts",
    "FEE-0013": "no two fees of a package have one priority",
    "FEE-0015": "the minimum is not above the maximum",
    "FEE-0024": "the first fee refers to the original amount",
    "FEE-0025": "flat and percentual fees have one calculation",
    "FEE-0026": "a percentual fee has a percentage",
    "FEE-0027": "a flat fee has a flat value",
    "FEE-0037": "either side of a transaction adds up to its value",
    "FEE-0038": "the largest is one of several",
    "FEE-0043": "a deductible fee refers to the original amount",
    "FEE-0044": "an amount has at most 30 digits on either side of the point, and so has a fee",
    "FEE-0049": "a deductible percentage is at most 100",
    "FEE-0050": "a deductible flat fee is at most the minimum of its package",
    "FEE-0057": "a tier begins one above the maximum of the tier before it",
    "FEE-0063": "a period exists in the calendar",
    "FEE-0065": "discounts have different quantities",
}
# State that the contract answers with 400 nevertheless.
OF_STATE = {
    "AUT-1005": "a refresh token was issued, and not used before",
    "LDG-0029": "the parent of an account exists and is open",
    "LDG-0115": "the route of a transaction is an id, where the ledger validates routes",
    "LDG-0066": "the type of an account is one of the ledger's, where the ledger says so",
    "CRM-0017": "a holder without instruments is deleted, on version 1",
    "FEE-0014": "the account of a fee exists",
    "FEE-0018": "no other package has the scope and the amounts",
    "FEE-0034": "one package applies to a transaction",
}
# Secrets and ids that only their owners know.
OF_CALLERS = {
    "AUT-1002": "a user has the password",
    "AUT-1004": "a client has the secret",
    "IDE-0009": "a user has the old password",
    "IDE-0013": "only users change their own password",
}
# Version 2 answers 500 for stored billing packages that cannot be calculated (contract fees, table of errors).
OF_PACKAGES = {
    "FEE-0060": "a figure fits into the digits of an amount",
    "FEE-0062": "the segment of a package exists",
}


@schemathesis.hook
def filter_failure(context, failure, case, response):
    if isinstance(failure, UndefinedStatusCode):
        # The header fields are too large: said before it is known which operation is meant, so that none lists it.
        return response.status_code != 431
    if isinstance(failure, UseAfterFree):
        # Below an unknown account lists are empty, and what a deleted one did stays readable (contract ledger 4.3, 5.2).
        return "/accounts/{account_id}/" not in case.path
    if isinstance(failure, AcceptedNegativeData):
        return not (is_empty_query(case) or is_refused_item(case, response))
    if isinstance(failure, (ServerError, RejectedPositiveData)) and response.status_code == 500:
        return response.json()["code"] not in OF_PACKAGES
    if isinstance(failure, RejectedPositiveData) and response.status_code in (401, 403):
        code = response.json()["code"]
        is_hint = code == "AUT-0007" and case.path == "/v1/logout"  # The example of a hint was not issued here.
        return code not in OF_CALLERS and not is_hint
    if isinstance(failure, RejectedPositiveData) and response.status_code == 400:
        return not is_unstated(case, response)
    return True


def is_empty_query(case):
    """A parameter of the query without a value is as good as absent (contract ledger 1.7)."""
    data, query = case.meta.phase.data, case.query or {}
    spoiled = [one.parameter for one in getattr(data, "mutations", None) or []] or [data.parameter]
    if data.parameter_location != ParameterLocation.QUERY or not query:
        return False
    return all(is_blank(value) for name in spoiled for value in values_of(name, query))


def is_blank(value):
    return value in ([], None) or isinstance(value, str) and not value.strip()


def values_of(name, query):
    """The members of an object are parameters of their own; those that no operation has are ignored."""
    if name in query:
        return [query[name]]
    return [query[date] for date in ("start_date", "end_date") if date in query] if name == "dates" else query.values()


def is_refused_item(case, response):
    """A batch of version 1 is accepted, and the items in it that do not fit are refused one by one (contract ledger 5.3)."""
    if case.operation.path != "/v1/organizations/{organization_id}/ledgers/{ledger_id}/transactions/batch":
        return False
    return any(item["status"] >= 400 for item in response.json()["results"])


def is_unstated(case, response):
    if case.method == "HEAD":  # It has no body that tells the code; the same parameters are sent to GET.
        return True
    problem = response.json()
    code = problem["code"]
    at = {error["location"] for error in problem.get("errors", [])}
    if code == "LDG-0047" and at == {"unique"}:  # The path says which kind of records: not organizations.
        return True
    if code == "LDG-0047" and at == {"target.kind"} and case.method == "PATCH":  # A subscription keeps its kind.
        return True
    if code == "LDG-0067" and case.method == "PUT":  # Null removes a key, and the rate has none yet.
        return True
    if problem["title"] == "End before start":  # Components have codes of their own for it.
        return True
    if code == "LDG-0047" and all(one.startswith("keys[") for one in at):  # Which events there are, the manifest tells.
        return True
    if code == "CRM-0015" and at and at <= {"ledgerId", "accountId"}:  # They exist; version 2 has 422.
        return True
    if code == "FEE-0003" and at and all(one.startswith("transaction.send") for one in at):  # Legs in several assets.
        return True
    if at and all(one["message"] == "must not contain a NUL character" for one in problem["errors"]):
        return True
    if "may not be addressed" in problem["detail"]:  # Which addresses are open is a setting of the deployment.
        return at <= {"target.url", "target.address"}
    return code in UNSTATED or code in OF_STATE


def is_root(operation, *_):
    """Creations may begin a scenario: in a ledger that there is, see `known_scope`. The rest is for links to reach."""
    return operation.method == "post" and (
        operation.path.endswith("/organizations")
        or operation.path.startswith("/v2/transactions/")
        or operation.path.rsplit("/", 1)[-1] in ("assets", "accounts", "segments", "portfolios", "json", "inflow")
    )


stateful.is_likely_root_transition = is_root

here = threading.local()
chance = random.Random(20251)
ledgers = {}  # By organization and ledger: the codes of its assets, the alias and asset of its accounts.
LEDGER = re.compile(r"/organizations/([^/]+)/ledgers/([^/?]+)")


NOBODY = "00000000-0000-4000-8000-000000000000"
# Operations that require a token even while access management is off.
OF_ACCESS = re.compile(r"/v1/(logout|authorize|userinfo|permissions|groups|users|applications)\b")
LOGIN = json.loads(os.environ["SCHEMATHESIS_LOGIN"])  # The URL of the login, and its body.


def bearer():
    """The token of the administrator, until a logout ends it."""
    if getattr(here, "bearer", None) is None:
        body = json.dumps(LOGIN["body"]).encode()
        request = urllib.request.Request(LOGIN["url"], body, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request) as response:
            here.bearer = json.load(response)["accessToken"]
    return here.bearer


def is_administrator(user_id):
    payload = bearer().split(".")[1]
    return user_id == json.loads(base64.urlsafe_b64decode(payload + "=="))["sub"]


@schemathesis.hook
def before_call(context, case, kwargs):
    """Sends what only earlier responses tell: the consistency token, a ledger, assets and accounts."""
    if OF_ACCESS.match(case.path):
        case.headers = {**(case.headers or {}), "Authorization": "Bearer " + bearer()}
        sent = case.path_parameters or {}
        if is_administrator(sent.get("user_id")):  # Its password would be another one.
            case.path_parameters = {**sent, "user_id": NOBODY}
    if case.meta is None or not case.meta.generation.mode.is_positive:
        return
    if case.method in ("GET", "HEAD"):
        known = getattr(here, "token", None)
        case.headers = {**(case.headers or {})}
        case.headers.pop("X-Consistency-Token", None)
        if known is not None:
            case.headers["X-Consistency-Token"] = known
    if case.query and "cursor" in case.query:  # Any text is refused but one from an earlier response.
        case.query = {name: value for name, value in case.query.items() if name != "cursor"}
    if case.method == "POST" and isinstance(case.body, dict):
        fill(case)


def fill(case):
    path, body = case.path, case.body
    scope = known_scope(case, path)
    assets, accounts = ledgers.get(scope, ([], []))
    if path.endswith("/accounts") and assets:
        body["assetCode"] = chance.choice(assets)
        forget(body, "parentAccountId", "portfolioId", "segmentId", "holderId", "skip")
    elif path.startswith("/v2/transactions/") and accounts and "debits" in body:
        two = pair(accounts)
        body["asset"] = two[0][1]
        forget(body, "skip", "routeId", "operationRouteId", "accountBlockExceptionId")
        for side, (alias, _) in zip(("debits", "credits"), two):
            leg = {"alias": alias, "organizationId": scope[0], "ledgerId": scope[1]}
            body[side] = [{**leg, "share": {"percentage": 100}}]
    elif "/transactions/" in path and accounts and isinstance(body.get("send"), dict):
        send, two = body["send"], pair(accounts)
        forget(body, "skip", "routeId")
        send["asset"] = two[0][1]
        for (side, legs), (alias, _) in zip((("source", "from"), ("distribute", "to")), two):
            if isinstance(send.get(side), dict):
                send[side][legs] = [{"accountAlias": alias, "remaining": "remaining"}]


def forget(body, *names):
    """Members that name records at random, or ask for what the ledger does not allow."""
    for name in names:
        body.pop(name, None)


def known_scope(case, path):
    """The ledger that a link led to, or one that has what is needed, in place of random ids."""
    sent = case.path_parameters or {}
    scope = (sent.get("organization_id"), sent.get("ledger_id"))
    if scope in ledgers or not ("{ledger_id}" in path or path.startswith("/v2/transactions/")):
        return scope
    needed = 1 if "/transactions/" in path else 0
    ready = [one for one, has in ledgers.items() if has[needed] or path.endswith("/assets")]
    if not ready:
        return scope
    scope = chance.choice(ready)
    if "{ledger_id}" in path:
        case.path_parameters = {**sent, "organization_id": scope[0], "ledger_id": scope[1]}
    return scope


def pair(accounts):
    """A source and a destination, mostly of one asset; money comes from outside as often as from an account."""
    alias, asset = chance.choice(accounts)
    others = [one for one in accounts if one[1] == asset and one[0] != alias]
    return (chance.choice([*others, (f"@external/{asset}", asset)]), (alias, asset))


@schemathesis.hook
def after_call(context, case, response):
    token = response.headers.get("x-consistency-token")
    if token:
        here.token = token[0]
    if case.path == "/v1/logout" and response.status_code == 200:
        here.bearer = None
    if case.method == "POST" and response.status_code == 201:
        remember(case.path, response)
    elif case.method == "DELETE" and response.status_code == 204 and case.path.endswith(("organization_id}", "ledger_id}")):
        gone = set((case.path_parameters or {}).values())
        for scope in [one for one in ledgers if gone & {one[1]} or case.path.endswith("organization_id}") and one[0] in gone]:
            del ledgers[scope]


def remember(path, response):
    found = LEDGER.search(response.request.url)
    if path.endswith("/ledgers"):
        ledger = response.json()
        ledgers[(ledger["organizationId"], ledger["id"])] = ([], [])
    elif found and found.groups() in ledgers:
        assets, accounts = ledgers[found.groups()]
        if path.endswith("/assets"):
            assets.append(response.json()["code"])
        elif path.endswith("/accounts"):
            answer = response.json()
            account = answer.get("account", answer)  # That of a holder comes with its instrument.
            accounts.append((account["alias"], account["assetCode"]))

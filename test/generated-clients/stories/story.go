// The story of a small bank, told by the client for Go.
package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"

	quipu "example.com/quipu/client"
)

var ctx = context.Background()

// done ends the story unless a call has the documented success.
func done[Data any](data Data, _ *http.Response, err error) Data {
	if err != nil {
		panic(err)
	}
	return data
}

func leg(alias, value string) quipu.RequestedLeg {
	amount := quipu.NewRequestedLegAmount("EUR", decimal(value))
	return quipu.RequestedLeg{AccountAlias: alias, Amount: amount}
}

func decimal(value string) quipu.DecimalAboveZero { return quipu.DecimalAboveZero{String: &value} }

func main() {
	configuration := quipu.NewConfiguration()
	configuration.Servers = quipu.ServerConfigurations{{URL: os.Getenv("QUIPU_URL")}}
	api := quipu.NewAPIClient(configuration)

	organization := done(api.OrganizationsAPI.CreateOrganization(ctx).
		CreateOrganizationRequest(*quipu.NewCreateOrganizationRequest("Bank of Stories", "1")).Execute()).Id
	ledger := done(api.LedgersAPI.CreateLedger(ctx, organization).
		CreateLedgerRequest(*quipu.NewCreateLedgerRequest("Main")).Execute()).Id
	done(api.AssetsAPI.CreateAsset(ctx, organization, ledger).
		CreateAssetRequest(*quipu.NewCreateAssetRequest("Euro", "currency", "EUR")).Execute())
	for _, alias := range []string{"@alice", "@bob"} {
		account := quipu.NewCreateAccountRequest("EUR", "deposit")
		account.SetAlias(alias)
		done(api.AccountsAPI.CreateAccount(ctx, organization, ledger).CreateAccountRequest(*account).Execute())
	}

	to := quipu.NewCreateTransactionJsonRequestSendDistribute([]quipu.RequestedLeg{leg("@alice", "1000")})
	deposit := quipu.NewCreateTransactionInflowRequest(
		*quipu.NewCreateTransactionInflowRequestSend("EUR", decimal("1000"), *to))
	deposit.SetDescription("deposit")
	done(api.TransactionsAPI.CreateTransactionInflow(ctx, organization, ledger).
		XIdempotency(rand.Text()).CreateTransactionInflowRequest(*deposit).Execute())

	transfer := func(value, key string) (*quipu.Transaction, *http.Response, error) {
		bob := quipu.RequestedLeg{AccountAlias: "@bob", Share: quipu.NewRequestedLegShare(100)}
		request := quipu.NewCreateTransactionJsonRequest(*quipu.NewCreateTransactionJsonRequestSend(
			"EUR", decimal(value),
			*quipu.NewCreateTransactionJsonRequestSendSource([]quipu.RequestedLeg{leg("@alice", value)}),
			*quipu.NewCreateTransactionJsonRequestSendDistribute([]quipu.RequestedLeg{bob})))
		request.SetDescription("transfer")
		return api.TransactionsAPI.CreateTransactionJson(ctx, organization, ledger).
			XIdempotency(key).CreateTransactionJsonRequest(*request).Execute()
	}
	key := rand.Text()
	first := done(transfer("100.000000000000000000001", key))
	second := done(transfer("100.000000000000000000001", key))

	directLeg := func(alias string) quipu.RequestedLegV2 {
		one := quipu.NewRequestedLegV2(alias, organization, ledger)
		value := "0.1"
		one.SetAmount(quipu.OptionalDecimalAboveZero{String: &value})
		return *one
	}
	request := quipu.NewCreateDirectTransactionRequest("EUR", decimal("0.1"),
		[]quipu.RequestedLegV2{directLeg("@alice")}, []quipu.RequestedLegV2{directLeg("@bob")})
	request.SetDescription("direct")
	direct, response, err := api.TransactionsAPI.CreateDirectTransaction(ctx).XIdempotency(rand.Text()).
		CreateDirectTransactionRequest(*request).Execute()
	inVersion2 := done(direct, response, err).TransactionV2
	token := response.Header.Get("X-Consistency-Token")

	_, _, err = transfer("1000000", rand.Text())
	var refused *quipu.GenericOpenAPIError
	var problem quipu.Problem
	if !errors.As(err, &refused) || json.Unmarshal(refused.Body(), &problem) != nil {
		panic(fmt.Sprintf("not a problem: %v", err))
	}

	listed := []string{}
	for cursor := ""; ; {
		request := api.TransactionsAPI.ListTransactions(ctx, organization, ledger).Limit(1).XConsistencyToken(token)
		if cursor != "" {
			request = request.Cursor(cursor)
		}
		page := done(request.Execute())
		for _, one := range page.Items {
			listed = append(listed, one.Description)
		}
		if cursor = page.GetNextCursor(); cursor == "" {
			break
		}
	}

	balances := []string{}
	for _, alias := range []string{"@alice", "@bob"} {
		found := done(api.BalancesAPI.ListBalancesByAlias(ctx, organization, ledger, alias).XConsistencyToken(token).Execute())
		balances = append(balances, found.Items[0].Available)
	}

	text, _ := json.Marshal(map[string]any{
		"repeated": first.Id == second.Id,
		"amount":   first.Amount,
		"direct":   inVersion2.Debit,
		"refusal":  problem.Code,
		"listed":   listed,
		"balances": balances,
	})
	fmt.Println(string(text))
}

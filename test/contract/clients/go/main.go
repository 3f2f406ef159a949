// A program that uses the client that oapi-codegen generates from /openapi-3.0.yaml.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"

	"tocsin.example/smoke/api"
)

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	authorize := func(_ context.Context, request *http.Request) error {
		request.Header.Set("authorization", "Bearer "+os.Getenv("KEY"))
		return nil
	}
	client, err := api.NewClientWithResponses(os.Getenv("BASE_URL"), api.WithRequestEditorFn(authorize))
	if err != nil {
		return err
	}

	enabled, channels := false, []api.CreateHttpMonitor_AlertChannelIds_Item{}
	var body api.CreateMonitor
	if err := body.FromCreateHttpMonitor(api.CreateHttpMonitor{
		Name:            "Generated",
		CheckType:       api.CreateHttpMonitorCheckTypeHttp,
		Config:          api.HttpConfig{Url: "https://example.com/"},
		Enabled:         &enabled,
		AlertChannelIds: &channels,
	}); err != nil {
		return err
	}
	created, err := client.CreateMonitorWithResponse(ctx, nil, body)
	if err != nil {
		return err
	}
	if created.JSON201 == nil {
		return fmt.Errorf("create: %s", created.Body)
	}
	monitor, err := created.JSON201.Data.AsHttpMonitor()
	if err != nil {
		return err
	}

	q := "generated"
	listed, err := client.ListMonitorsWithResponse(ctx, &api.ListMonitorsParams{Q: &q, Enabled: &enabled})
	if err != nil {
		return err
	}
	got, err := client.GetMonitorWithResponse(ctx, monitor.Id, nil)
	if err != nil {
		return err
	}
	same, err := got.JSON200.Data.AsHttpMonitor()
	if err != nil {
		return err
	}
	wrong, right := 1, 60
	refused, err := client.UpdateMonitorWithResponse(ctx, monitor.Id, nil, api.UpdateMonitor{IntervalSeconds: &wrong})
	if err != nil {
		return err
	}
	changed, err := client.UpdateMonitorWithResponse(ctx, monitor.Id, nil, api.UpdateMonitor{IntervalSeconds: &right})
	if err != nil {
		return err
	}
	after, err := changed.JSON200.Data.AsHttpMonitor()
	if err != nil {
		return err
	}
	deleted, err := client.DeleteMonitorWithResponse(ctx, monitor.Id)
	if err != nil {
		return err
	}
	gone, err := client.GetMonitorWithResponse(ctx, monitor.Id, nil)
	if err != nil {
		return err
	}

	return json.NewEncoder(os.Stdout).Encode(map[string]any{
		"url":      same.Config.Url,
		"state":    same.CurrentState,
		"listed":   len(listed.JSON200.Data),
		"interval": after.IntervalSeconds,
		"message":  refused.JSON422.Error.Message,
		"errors":   refused.JSON422.Error.Errors,
		"statuses": []int{refused.StatusCode(), deleted.StatusCode(), gone.StatusCode()},
	})
}

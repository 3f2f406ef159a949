// Lists monitors over gRPC with a service credential until the token has been renewed once. Prints JSON.
package main

import (
	"context"
	"encoding/json"
	"log"
	"os"
	"sync"
	"time"

	identityv1 "tocsin.example/grpc/gen/tocsin/identity/v1"
	monitorv1 "tocsin.example/grpc/gen/tocsin/monitor/v1"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
)

// serviceCredential exchanges the secret of a service credential for tokens, and renews a token before it expires. It
// implements credentials.PerRPCCredentials.
type serviceCredential struct {
	identity identityv1.IdentityServiceClient
	request  *identityv1.ExchangeServiceCredentialRequest

	mutex   sync.Mutex
	token   string
	renewAt time.Time
}

func (c *serviceCredential) GetRequestMetadata(ctx context.Context, _ ...string) (map[string]string, error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if now := time.Now(); !now.Before(c.renewAt) {
		response, err := c.identity.ExchangeServiceCredential(ctx, c.request)
		if err != nil {
			return nil, err
		}
		expiresAt := response.GetExpiresAt().AsTime()
		c.token, c.renewAt = response.GetToken(), expiresAt.Add(-expiresAt.Sub(now)/5)
	}
	return map[string]string{"authorization": "Bearer " + c.token}, nil
}

// RequireTransportSecurity is false, because the ports of the services are plaintext.
func (c *serviceCredential) RequireTransportSecurity() bool { return false }

func connect(address string, options ...grpc.DialOption) *grpc.ClientConn {
	options = append(options, grpc.WithTransportCredentials(insecure.NewCredentials()))
	connection, err := grpc.NewClient(address, options...)
	if err != nil {
		log.Fatal(err)
	}
	return connection
}

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	credential := &serviceCredential{
		identity: identityv1.NewIdentityServiceClient(connect(os.Getenv("IDENTITY"))),
		request: &identityv1.ExchangeServiceCredentialRequest{
			Secret:   os.Getenv("SECRET"),
			Audience: "monitor",
		},
	}
	connection := connect(os.Getenv("MONITOR"), grpc.WithPerRPCCredentials(credential))
	monitors := monitorv1.NewMonitorServiceClient(connection)

	tokens := map[string]bool{}
	var listed *monitorv1.ListMonitorsResponse
	for len(tokens) < 2 {
		var err error
		if listed, err = monitors.ListMonitors(ctx, &monitorv1.ListMonitorsRequest{}); err != nil {
			log.Fatal(err)
		}
		tokens[credential.token] = true
		time.Sleep(200 * time.Millisecond)
	}
	names := []string{}
	for _, monitor := range listed.GetMonitors() {
		names = append(names, monitor.GetName())
	}
	_, err := monitors.DeleteMonitor(ctx, &monitorv1.DeleteMonitorRequest{Id: listed.GetMonitors()[0].GetId()})
	result := map[string]any{"names": names, "tokens": len(tokens), "deletion": status.Code(err).String()}
	if err := json.NewEncoder(os.Stdout).Encode(result); err != nil {
		log.Fatal(err)
	}
}

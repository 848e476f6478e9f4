// Runs FerretDB on a PostgreSQL that is already there, until it is told to stop.
package main

import (
	"context"
	"flag"
	"log"
	"os"
	"os/signal"
	"syscall"

	"github.com/FerretDB/FerretDB/v2/ferretdb"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:27017", "where clients connect")
	postgres := flag.String("postgres", "", "URL of PostgreSQL with the DocumentDB extension")
	state := flag.String("state", ".", "folder for FerretDB's own state")
	flag.Parse()

	telemetry := false
	server, err := ferretdb.New(&ferretdb.Config{
		PostgreSQLURL: *postgres,
		ListenAddr:    *listen,
		StateDir:      *state,
		LogOutput:     os.Stderr,
		Telemetry:     &telemetry,
	})
	if err != nil {
		log.Fatal(err)
	}

	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	server.Run(ctx)
}

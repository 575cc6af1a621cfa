package node

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"time"
)

// serveKubelet serves the one kubelet endpoint that matters here, the logs, to the API server and nobody else:
// a client must show a certificate of the control plane's authority. It returns the port.
func (n *Node) serveKubelet(ctx context.Context) (int, error) {
	cert, err := tls.LoadX509KeyPair(n.options.Cert, n.options.Key)
	if err != nil {
		return 0, err
	}
	text, err := os.ReadFile(n.options.CAFile)
	if err != nil {
		return 0, err
	}
	clients := x509.NewCertPool()
	if !clients.AppendCertsFromPEM(text) {
		return 0, errors.New(n.options.CAFile + " holds no certificate")
	}
	listener, err := net.Listen("tcp", net.JoinHostPort(hostIP, "0"))
	if err != nil {
		return 0, err
	}
	routes := http.NewServeMux()
	routes.HandleFunc("GET /containerLogs/{namespace}/{pod}/{container}", n.serveLog)
	server := &http.Server{
		Handler:           routes,
		TLSConfig:         &tls.Config{Certificates: []tls.Certificate{cert}, ClientCAs: clients, ClientAuth: tls.RequireAndVerifyClientCert},
		ErrorLog:          log.New(complaints{n}, "", 0),
		ReadHeaderTimeout: 10 * time.Second,
		BaseContext:       func(net.Listener) context.Context { return ctx },
	}
	n.background.Go(func() { _ = server.ServeTLS(listener, "", "") })
	context.AfterFunc(ctx, func() { _ = server.Close() })
	return listener.Addr().(*net.TCPAddr).Port, nil
}

func (n *Node) serveLog(w http.ResponseWriter, r *http.Request) {
	options, previous, err := parseLogOptions(r.URL.Query(), time.Now())
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	log, err := n.findLog(r.PathValue("namespace"), r.PathValue("pod"), r.PathValue("container"), previous)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "text/plain")
	flush := func() { _ = http.NewResponseController(w).Flush() }
	_ = log.copyTo(r.Context(), w, options, flush) // the reader has gone away
}

// findLog finds the log of a container's last run, or of the one before it.
func (n *Node) findLog(namespace, name, container string, previous bool) (*containerLog, error) {
	p := n.podNamed(namespace, name)
	if p == nil {
		return nil, fmt.Errorf("pod %q is not on this node", name)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range append(p.init[:len(p.init):len(p.init)], p.main...) {
		if c.spec.Name != container {
			continue
		}
		n := len(c.logs) - 1
		if previous {
			n--
		}
		switch {
		case n >= 0:
			return c.logs[n], nil
		case previous:
			return nil, fmt.Errorf("previous terminated container %q in pod %q not found", container, name)
		case c.state.Waiting != nil:
			return nil, fmt.Errorf("container %q in pod %q is waiting to start: %s", container, name, c.state.Waiting.Reason)
		}
	}
	return nil, fmt.Errorf("container %q in pod %q is not available", container, name)
}

// parseLogOptions reads the query that the API server makes of a pods/log request.
func parseLogOptions(q url.Values, now time.Time) (o logOptions, previous bool, err error) {
	o.tail = -1
	number := func(key string, set func(int64)) {
		if text := q.Get(key); text != "" && err == nil {
			var n int64
			if n, err = strconv.ParseInt(text, 10, 64); err == nil {
				set(n)
			}
		}
	}
	number("tailLines", func(n int64) { o.tail = int(n) })
	number("limitBytes", func(n int64) { o.limit = n })
	number("sinceSeconds", func(n int64) { o.since = now.Add(-time.Duration(n) * time.Second) })
	if text := q.Get("sinceTime"); text != "" && err == nil {
		o.since, err = time.Parse(time.RFC3339, text)
	}
	o.follow, o.timestamps = q.Get("follow") == "true", q.Get("timestamps") == "true"
	return o, q.Get("previous") == "true", err
}

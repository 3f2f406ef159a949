# Stands in for nats:2.12 with the server that is built from its Go module.
FROM scratch
COPY program /usr/local/bin/nats-server
USER 1000:1000
ENTRYPOINT ["nats-server"]

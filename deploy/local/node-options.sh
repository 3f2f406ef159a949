# Options of Node for the programs, read by the shell (tocsin-run) and by node-options.ts: only NAME='VALUE'.

# V8's memory use. By default, V8 uses up to 128 MB for new objects, and the heap grows to several hundred MB before the
# first full garbage collection. A smaller initial heap makes full collections start earlier. Each later one starts when
# the heap has doubled: by default, V8 waits for up to four times the heap when it is busy, but for few MB at a moderate
# load, and a full collection delays the requests of 50 ms by up to 20 ms.
NODE_OPTIONS_OF_ALL='--disable-warning=ExperimentalWarning --initial-old-space-size=64 --max-semi-space-size=16 --heap-growing-percent=100'

# Additional options of the process of all services. V8 uses half as much memory for new objects. It also collects the
# heap in full as soon as it has grown by 25 % since the last full collection: it does not return freed pages while the
# process is busy, so that the largest heap counts, for example after many new monitors.
NODE_OPTIONS_OF_ONE_PROCESS='--max-semi-space-size=8 --heap-growing-percent=25'

import { chmod, mkdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FRESH_DAYS, unpackOrRenew } from '../src/unpacked-program.ts';
import { scratchFolder } from './scratch-folder.ts';

const DAY_MS = 24 * 3_600_000;

/**
 * Fake apt-get. It reads the available version from the file `version` in its folder, and appends its arguments to the
 * file `calls`.
 */
const APT_GET = `#!/bin/sh
HERE=$(dirname "$0")
echo "$*" >> "$HERE/calls"
[ -e "$HERE/offline" ] && { echo "Could not resolve host" >&2; exit 100; }
VERSION=$(cat "$HERE/version")
case "$*" in
  *--print-uris*)
    echo "'http://mirror/program_$VERSION.deb' program_\${VERSION}_amd64.deb 1 MD5Sum:0"
    echo "'http://mirror/library_1.deb' library_1_amd64.deb 1 MD5Sum:0" ;;
  *" download "*)
    for NAME in $(echo "$*" | sed 's/.* download //'); do
      echo "$VERSION" > "\${NAME}_\${VERSION}_amd64.deb"
    done ;;
esac
`;
const DPKG_DEB = `#!/bin/sh
mkdir -p "$3" && cp "$2" "$3/$(basename "$2" | cut -d_ -f1)"
`;

let stack: AsyncDisposableStack;
let tools: string;
let folder: string;
let said: string[];

beforeEach(async () => {
  stack = new AsyncDisposableStack();
  const { path } = stack.use(await scratchFolder());
  tools = join(path, 'tools');
  folder = join(path, 'cache', 'program');
  said = [];
  await mkdir(tools);
  for (const [name, text] of Object.entries({ 'apt-get': APT_GET, 'dpkg-deb': DPKG_DEB })) {
    await writeFile(join(tools, name), text);
    await chmod(join(tools, name), 0o755);
  }
  const before = process.env.PATH;
  process.env.PATH = `${tools}${delimiter}${before}`;
  stack.defer(() => {
    process.env.PATH = before;
  });
  await publish('1.0');
});
afterEach(() => stack.disposeAsync());

const publish = (version: string) => writeFile(join(tools, 'version'), version);

/** Sets the recorded time of the latest search for newer versions to this many days ago. */
async function age(days: number): Promise<void> {
  const then = new Date(Date.now() - days * DAY_MS);
  await utimes(join(folder, 'packages.txt'), then, then);
}

async function unpack(withLibraries = false): Promise<string> {
  const say = (line: string) => void said.push(line);
  await unpackOrRenew({ name: 'program', folder, withLibraries, say });
  return (await readFile(join(folder, 'program'), 'utf8')).trim();
}

const downloads = async () =>
  (await readFile(join(tools, 'calls'), 'utf8')).split('\n').filter((line) => line.includes(' download '));

test('a program is unpacked with or without its libraries', async () => {
  expect(await unpack()).toBe('1.0');
  await expect(readFile(join(folder, 'library'))).rejects.toThrow('ENOENT');
  folder = `${folder}-with-libraries`;
  await unpack(true);
  expect(await readFile(join(folder, 'library'), 'utf8')).toContain('1.0');
});

test('a newer version replaces the program after a week', async () => {
  await unpack();
  await publish('2.0');
  await age(FRESH_DAYS - 0.1);
  expect(await unpack()).toBe('1.0');
  await age(FRESH_DAYS);
  expect(await unpack()).toBe('2.0');
  expect(await unpack()).toBe('2.0');
  expect(await downloads()).toHaveLength(2);
});

test('an unchanged version is not downloaded again, and the next search follows a week later', async () => {
  await unpack();
  await age(FRESH_DAYS);
  await unpack();
  expect(await downloads()).toHaveLength(1);
  await publish('2.0');
  expect(await unpack()).toBe('1.0');
});

test('without a network, the existing version is used and a message is shown', async () => {
  await unpack();
  await writeFile(join(tools, 'offline'), '');
  await age(FRESH_DAYS);
  expect(await unpack()).toBe('1.0');
  expect(said).toEqual([expect.stringContaining('Could not resolve host')]);
  await unpack();
  expect(said).toHaveLength(1);
});

test('a program without a recorded version is unpacked again', async () => {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'program'), 'old');
  expect(await unpack()).toBe('1.0');
});

test('unpacking fails if there is neither a network nor an existing version', async () => {
  await writeFile(join(tools, 'offline'), '');
  await expect(unpack()).rejects.toThrow('Could not resolve host');
});

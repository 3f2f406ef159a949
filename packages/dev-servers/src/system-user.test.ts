import { expect, test } from 'vitest';
import { postgresUserIn } from './system-user.ts';

const ROOT = 'root:x:0:0:root:/root:/bin/bash';
const DAEMON = 'daemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin';
const NOBODY = 'nobody:x:65534:65533:nobody:/nonexistent:/usr/sbin/nologin';
const POSTGRES = 'postgres:x:101:104:PostgreSQL administrator,,,:/var/lib/postgresql:/bin/bash';

test.each([
  ['its own account', [ROOT, NOBODY, DAEMON, POSTGRES], { uid: 101, gid: 104 }],
  ['an account other than that of synthetic scripts', [ROOT, NOBODY, DAEMON], { uid: 1, gid: 1 }],
  ['the account of synthetic scripts if no other account fits', [ROOT, NOBODY], { uid: 65_534, gid: 65_533 }],
  ['no account with the uid of root', [ROOT, 'daemon:x:0:0::/:/bin/sh'], undefined],
])('PostgreSQL runs under %s', (_name, lines, user) => {
  expect(postgresUserIn(lines.join('\n'))).toEqual(user);
});

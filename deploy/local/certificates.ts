import 'reflect-metadata'; // required by @peculiar/x509
import { createPrivateKey, webcrypto, X509Certificate } from 'node:crypto';
import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from '@peculiar/x509';
import { codeOf, Problem } from '@tocsin/dev-servers/problem';

const DAY_MS = 86_400_000;
const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

/** Validity of the authority's certificate, in days. */
const AUTHORITY_DAYS = 3_650;
export const MAX_DAYS = 825;

/** Certificates become valid this long before they are issued, because machines' clocks differ. */
const BACKDATED_MS = 3_600_000;

/**
 * Name of the authority. No program may have this name, because a certificate with the same subject and issuer counts
 * as self-signed.
 */
const AUTHORITY = 'Tocsin certificate authority';

/** A certificate that was issued. */
export interface Issued {
  readonly folder: string;
  readonly hosts: readonly string[];
  readonly expiresAt: Date;
}

/**
 * Issues a certificate that a program uses both as a server and as a client. Writes tls.crt, tls.key and ca.crt into
 * the folder `<folder>/<name>`. Replaces each earlier file atomically. The first call creates the authority: `ca.crt`
 * and `ca.key` in `folder`.
 * @throws Problem if an option is not valid.
 */
export async function issueCertificate({
  folder,
  name,
  hosts,
  days,
  now,
}: {
  readonly folder: string;
  readonly name: string;
  /** Host names and addresses for which the certificate is valid. */
  readonly hosts: readonly string[];
  readonly days: number;
  readonly now: Date;
}): Promise<Issued> {
  if (!/^[a-z0-9][a-z0-9-]{0,62}$/.test(name)) {
    throw new Problem('--name should be lowercase letters, digits and hyphens, at most 63.');
  }
  const wrong = hosts.find((host) => isIP(host) === 0 && !/^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/.test(host));
  if (wrong !== undefined) throw new Problem(`--hosts has ${JSON.stringify(wrong)}, which is no host name or address.`);
  if (!Number.isInteger(days) || days < 1 || days > MAX_DAYS) {
    throw new Problem(`--days should be a whole number from 1 to ${MAX_DAYS}.`);
  }
  const authority = await openAuthority(folder, now);
  const keys = await createKeys();
  const expiresAt = new Date(now.getTime() + days * DAY_MS);
  const certificate = await X509CertificateGenerator.create({
    subject: `CN=${name}`,
    issuer: `CN=${AUTHORITY}`,
    notBefore: new Date(now.getTime() - BACKDATED_MS),
    notAfter: expiresAt,
    publicKey: keys.publicKey,
    signingKey: authority.key,
    signingAlgorithm: ALGORITHM,
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth, ExtendedKeyUsage.clientAuth]),
      new SubjectAlternativeNameExtension(
        hosts.map((value) => ({ type: isIP(value) === 0 ? ('dns' as const) : ('ip' as const), value })),
      ),
    ],
  });
  const own = join(folder, name);
  await mkdir(own, { recursive: true, mode: 0o700 });
  await replace(join(own, 'ca.crt'), authority.certificate, 0o644);
  await replace(join(own, 'tls.key'), await pemOf(keys.privateKey), 0o600);
  await replace(join(own, 'tls.crt'), certificate.toString('pem'), 0o644);
  return { folder: own, hosts, expiresAt };
}

interface Authority {
  /** Certificate in PEM format. */
  readonly certificate: string;
  readonly key: webcrypto.CryptoKey;
}

/** Reads the authority of a folder, or creates it. */
async function openAuthority(folder: string, now: Date): Promise<Authority> {
  const [certificateFile, keyFile] = [join(folder, 'ca.crt'), join(folder, 'ca.key')];
  try {
    const certificate = await readFile(certificateFile, 'utf8');
    if (new X509Certificate(certificate).validToDate <= now) throw new Problem(`${certificateFile} has expired.`);
    const der = createPrivateKey(await readFile(keyFile, 'utf8')).export({ format: 'der', type: 'pkcs8' });
    return { certificate, key: await webcrypto.subtle.importKey('pkcs8', der, ALGORITHM, false, ['sign']) };
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
  const keys = await createKeys();
  const created = await X509CertificateGenerator.create({
    subject: `CN=${AUTHORITY}`,
    issuer: `CN=${AUTHORITY}`,
    notBefore: new Date(now.getTime() - BACKDATED_MS),
    notAfter: new Date(now.getTime() + AUTHORITY_DAYS * DAY_MS),
    publicKey: keys.publicKey,
    signingKey: keys.privateKey,
    signingAlgorithm: ALGORITHM,
    extensions: [
      // With a path length of 0, a certificate that this authority signs can't sign other certificates.
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
    ],
  });
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await replace(keyFile, await pemOf(keys.privateKey), 0o600);
  await replace(certificateFile, created.toString('pem'), 0o644);
  return { certificate: created.toString('pem'), key: keys.privateKey };
}

function createKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
}

async function pemOf(key: webcrypto.CryptoKey): Promise<string> {
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', key));
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
    .export({ format: 'pem', type: 'pkcs8' })
    .toString();
}

/** Writes a file in one step, so that no reader sees a partial file. */
async function replace(file: string, text: string, mode: number): Promise<void> {
  const written = `${file}.new`;
  await writeFile(written, text, { mode });
  await chmod(written, mode);
  await rename(written, file);
}

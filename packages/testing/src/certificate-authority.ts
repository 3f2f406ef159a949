import 'reflect-metadata'; // required by @peculiar/x509
import { createPrivateKey, type KeyObject, webcrypto } from 'node:crypto';
import {
  BasicConstraintsExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from '@peculiar/x509';

const DAY_MS = 86_400_000;
const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

export interface Issued {
  /** Certificate in PEM format. */
  readonly cert: string;
  /** Private key in PEM format. */
  readonly key: string;
}

export interface LeafOptions {
  /** DNS names. The first one is also the common name. */
  readonly names?: readonly string[];
  readonly addresses?: readonly string[];
  /** Distinguished name of the issuer in the certificate. Defaults to the authority's own name. */
  readonly issuer?: string;
  /** Start of validity in days from now. */
  readonly begins?: number;
  /** End of validity in days from now. */
  readonly ends?: number;
}

/** A root or intermediate certificate authority. */
export interface Authority {
  /** Certificate in PEM format. */
  readonly cert: string;
  issue(options?: LeafOptions): Promise<Issued>;
  /** Creates an intermediate authority. */
  below(name: string): Promise<Authority>;
}

/** Creates an authority that only tests trust. */
export function createAuthority(name: string): Promise<Authority> {
  return authority(name, undefined);
}

/** Creates a self-signed certificate. */
export async function selfSigned(names: readonly string[]): Promise<Issued> {
  const keys = await newKeys();
  return generate({
    subject: names[0] ?? '',
    issuer: names[0] ?? '',
    keys,
    signer: keys.privateKey,
    options: { names },
  });
}

interface Signer {
  readonly name: string;
  readonly key: webcrypto.CryptoKey;
}

async function authority(name: string, above: Signer | undefined): Promise<Authority> {
  const keys = await newKeys();
  const signer = above ?? { name, key: keys.privateKey };
  const { cert } = await generate({ subject: name, issuer: signer.name, keys, signer: signer.key, isAuthority: true });
  const self = { name, key: keys.privateKey };
  return {
    cert,
    async issue(options = {}) {
      const subject = options.names?.[0] ?? 'localhost';
      return generate({ subject, issuer: name, keys: await newKeys(), signer: self.key, options });
    },
    below: (lower) => authority(lower, self),
  };
}

function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
}

interface IssueOptions {
  readonly subject: string;
  readonly issuer: string;
  readonly keys: webcrypto.CryptoKeyPair;
  readonly signer: webcrypto.CryptoKey;
  readonly isAuthority?: boolean;
  readonly options?: LeafOptions;
}

async function generate({
  subject,
  issuer,
  keys,
  signer,
  isAuthority = false,
  options = {},
}: IssueOptions): Promise<Issued> {
  const { names = isAuthority ? [] : ['localhost'], addresses = [], begins = -1, ends = 365 } = options;
  const alternatives = [
    ...names.map((value) => ({ type: 'dns' as const, value })),
    ...addresses.map((value) => ({ type: 'ip' as const, value })),
  ];
  const usage = isAuthority ? KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign : KeyUsageFlags.digitalSignature;
  const certificate = await X509CertificateGenerator.create({
    subject: `CN=${subject}`,
    issuer: options.issuer ?? `CN=${issuer}`,
    notBefore: new Date(Date.now() + begins * DAY_MS),
    notAfter: new Date(Date.now() + ends * DAY_MS),
    publicKey: keys.publicKey,
    signingKey: signer,
    signingAlgorithm: ALGORITHM,
    extensions: [
      new BasicConstraintsExtension(isAuthority, undefined, true),
      new KeyUsagesExtension(usage, true),
      ...(alternatives.length > 0 ? [new SubjectAlternativeNameExtension(alternatives)] : []),
    ],
  });
  return { cert: certificate.toString('pem'), key: await pemOf(keys.privateKey) };
}

async function pemOf(key: webcrypto.CryptoKey): Promise<string> {
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', key));
  const object: KeyObject = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  return object.export({ format: 'pem', type: 'pkcs8' }).toString();
}

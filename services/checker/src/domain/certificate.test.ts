import { expect, test } from 'vitest';
import { type PresentedCertificate, problemOf } from './certificate.ts';

const good: PresentedCertificate = {
  notBefore: new Date('2026-01-01T00:00:00Z'),
  notAfter: new Date('2026-04-01T00:00:00Z'),
  names: () => ['shop.example'],
  host: 'shop.example',
  isForHost: true,
  lastIssuer: () => 'Some Root',
  chainError: undefined,
  now: new Date('2026-03-01T00:00:00Z'),
};

test('a certificate with the name of the host and a trusted chain has no problem', () => {
  expect(problemOf(good)).toBe('');
});

test.each<[Partial<PresentedCertificate>, string]>([
  [{ chainError: 'CERT_HAS_EXPIRED', now: new Date('2026-04-02') }, 'certificate expired on 2026-04-01'],
  [{ chainError: 'CERT_HAS_EXPIRED' }, 'a certificate of its chain has expired'],
  [{ chainError: 'CERT_NOT_YET_VALID', now: new Date('2025-12-01') }, 'certificate is not valid before 2026-01-01'],
  [{ chainError: 'CERT_NOT_YET_VALID' }, 'a certificate of its chain is not valid yet'],
  [{ chainError: 'DEPTH_ZERO_SELF_SIGNED_CERT' }, 'certificate is self-signed'],
  [{ chainError: 'SELF_SIGNED_CERT_IN_CHAIN' }, 'certificate is from an unknown authority, "Some Root"'],
  [{ chainError: 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY' }, 'certificate is from an unknown authority, "Some Root"'],
  [
    { chainError: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' },
    'certificate chain is incomplete: the server did not send the certificate of its issuer, "Some Root", which is no trusted authority either',
  ],
  [{ chainError: 'CERT_SIGNATURE_FAILURE' }, 'a signature in the certificate chain is wrong'],
  [{ chainError: 'ERROR_IN_CERT_NOT_AFTER_FIELD' }, 'a date in the certificate is invalid'],
  [{ chainError: 'INVALID_PURPOSE' }, 'certificate is not meant for servers'],
  [{ chainError: 'SOMETHING_NEW' }, 'certificate is not trusted (SOMETHING_NEW)'],
  [{ isForHost: false, host: 'www.example' }, 'certificate is for shop.example, not for www.example'],
  [{ isForHost: false, names: () => [] }, 'certificate is for no name at all, not for shop.example'],
  [
    { isForHost: false, names: () => ['a', 'b', 'c', 'd', 'e'] },
    'certificate is for a, b, c and 2 more, not for shop.example',
  ],
])('a certificate with %j has the problem "%s"', (certificate, problem) => {
  expect(problemOf({ ...good, ...certificate })).toBe(problem);
});

test('if both the chain and the name have a problem, the problem of the chain is reported', () => {
  const both = { ...good, isForHost: false, chainError: 'DEPTH_ZERO_SELF_SIGNED_CERT' };
  expect(problemOf(both)).toBe('certificate is self-signed');
});

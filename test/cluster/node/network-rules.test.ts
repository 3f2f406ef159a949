import { expect, test } from 'vitest';
import { type NetworkPolicy, networkRules, type Pod } from './network-rules.ts';

function pod(name: string, podIP: string, namespace = 'shop'): Pod {
  const ports = [{ name: 'http', containerPort: 8080 }];
  return {
    metadata: { name, namespace, labels: { app: name } },
    spec: { containers: [{ ports }] },
    status: { podIP, phase: 'Running' },
  };
}

function policy(app: string, spec: Partial<NetworkPolicy['spec']>): NetworkPolicy {
  const podSelector = { matchLabels: { app } };
  return {
    metadata: { name: app, namespace: 'shop' },
    spec: { podSelector, policyTypes: ['Ingress', 'Egress'], ...spec },
  };
}

const namespaces = ['shop', 'other'].map((name) => ({ metadata: { name, labels: { name } } }));
const pods = [pod('web', '10.244.0.2'), pod('db', '10.244.0.3'), pod('web', '10.244.0.4', 'other')];

/** Returns the rules of one chain. */
function chain(policies: readonly NetworkPolicy[], name: string): string | undefined {
  const text = networkRules(policies, pods, namespaces);
  return new RegExp(`chain ${name} \\{ (.*?); \\}`).exec(text)?.[1];
}

test('a pod without a policy has no rules', () => {
  const rules = networkRules([], pods, namespaces);
  expect(rules).not.toContain('drop');
  expect(rules).not.toContain('10.244.0.2');
});

test('a policy without rules drops every packet of its pods, in both directions', () => {
  expect(chain([policy('web', {})], 'ingress_10_244_0_2')).toBe('counter drop');
  expect(chain([policy('web', {})], 'egress_10_244_0_2')).toBe('counter drop');
  expect(chain([policy('web', {})], 'egress_10_244_0_3')).toBeUndefined();
  expect(chain([policy('web', {})], 'egress_10_244_0_4')).toBeUndefined();
});

test('a policy for one direction does not restrict the other direction', () => {
  const only = [policy('web', { policyTypes: ['Ingress'] })];
  expect(chain(only, 'ingress_10_244_0_2')).toBe('counter drop');
  expect(chain(only, 'egress_10_244_0_2')).toBeUndefined();
});

test('peers are pods of the same namespace, unless a namespace is selected', () => {
  const from = (peer: object) => [policy('db', { ingress: [{ from: [peer], ports: [{ port: 'http' }] }] })];
  const web = { podSelector: { matchLabels: { app: 'web' } } };
  const rule = (address: string) => `ip saddr ${address} tcp dport 8080 return; counter drop`;
  expect(chain(from(web), 'ingress_10_244_0_3')).toBe(rule('10.244.0.2'));
  const other = { ...web, namespaceSelector: { matchLabels: { name: 'other' } } };
  expect(chain(from(other), 'ingress_10_244_0_3')).toBe(rule('10.244.0.4'));
});

test('the exceptions of an address block are excluded, and IPv6 blocks are ignored', () => {
  const blocks = [{ ipBlock: { cidr: '0.0.0.0/0', except: ['10.0.0.0/8'] } }, { ipBlock: { cidr: '::/0' } }];
  expect(chain([policy('web', { egress: [{ to: blocks }] })], 'egress_10_244_0_2')).toBe(
    'ip daddr 0.0.0.0/0 ip daddr != 10.0.0.0/8 return; counter drop',
  );
});

test('a rule without peers allows its ports for every peer', () => {
  const dns = { ports: [{ port: 53, protocol: 'UDP' }, { port: 53 }] };
  expect(chain([policy('web', { egress: [dns] })], 'egress_10_244_0_2')).toBe(
    'udp dport 53 return; tcp dport 53 return; counter drop',
  );
});

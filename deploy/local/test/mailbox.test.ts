import { pickFreePort } from '@tocsin/dev-servers/ports';
import { createTransport } from 'nodemailer';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Mailbox, startMailbox } from '../mailbox.ts';

let mailbox: Mailbox;
beforeAll(async () => {
  mailbox = await startMailbox({ smtpPort: await pickFreePort(), webPort: await pickFreePort() });
});
afterAll(() => mailbox[Symbol.asyncDispose]());

const page = async (path: string) => {
  const response = await fetch(`${mailbox.url}${path}`);
  return {
    status: response.status,
    text: await response.text(),
    policy: response.headers.get('content-security-policy'),
  };
};

test('a received mail is shown, and its scripts do not run', async () => {
  expect((await page('/')).text).toContain('No mail has arrived since the start.');
  const transport = createTransport({ url: mailbox.smtpUrl });
  const nasty = '<script>alert(1)</script>';
  await transport.sendMail({
    from: 'tocsin@localhost',
    to: ['jane@example.com', 'joe@example.com'],
    subject: `Shop is down ${nasty}`,
    text: 'Shop is down ✓',
    html: `<p>Shop is down</p>${nasty}`,
  });
  transport.close();
  const list = await page('/');
  expect(list.text).toContain('Shop is down &lt;script&gt;');
  expect(list.text).toContain('jane@example.com, joe@example.com');
  const mail = await page('/1');
  expect(mail.text).toContain('Shop is down ✓');
  expect(mail.text).toContain('srcdoc="&lt;base target=&quot;_blank&quot;&gt;&lt;p&gt;Shop is down&lt;/p&gt;');
  for (const { text, policy } of [list, mail]) {
    expect(text).not.toContain('<script>');
    expect(policy).toContain("default-src 'none'");
  }
});

test.each(['/2', '/x', '/../etc/passwd'])('the mailbox responds to %s with 404', async (path) => {
  expect((await page(path)).status).toBe(404);
});

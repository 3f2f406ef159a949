import type { Refusals } from '../refusals.ts';

export const REFUSALS: Refusals = {
  name: 'Twilio',
  other: 'it refuses messages of this account. Check its console, and PATCH the config',
  byCode: {
    401: 'the credentials are wrong. PATCH config.account_sid or config.auth_token',
    403: 'the account may not send. Check its console, and test the channel',
    404: 'there is no such account. PATCH config.account_sid',
    // Twilio codes: https://www.twilio.com/docs/api/errors
    21211: 'the receiver is not a valid number. PATCH config.to',
    21212: 'the sender is not a valid number. PATCH config.from',
    21408: 'the account may not send to that country. Allow it in the console, and test the channel',
    21606: 'the sender is not a number of the account that can send messages. PATCH config.from',
    21608: 'a trial account sends to verified numbers only. Verify the number, or PATCH config.to',
    21610: 'the receiver replied STOP. Send START from that phone, and test the channel',
    21614: 'the receiver is not a mobile phone. PATCH config.to',
  },
};

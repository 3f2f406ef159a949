import type { Refusals } from '../refusals.ts';

export const REFUSALS: Refusals = {
  name: 'Amazon SNS',
  other: 'it refuses this key. PATCH config.access_key_id and config.secret_access_key',
  byCode: {
    // Amazon SNS codes: https://docs.aws.amazon.com/sns/latest/api/CommonErrors.html and API_Publish.html
    AuthorizationError: 'the key may not publish. Allow sns:Publish on the topic, and test the channel',
    InvalidClientTokenId: 'there is no such key. PATCH config.access_key_id',
    SignatureDoesNotMatch: 'the secret is wrong. PATCH config.secret_access_key',
    NotFound: 'there is no such topic. PATCH config.topic_arn',
    OptInRequired: 'the account may not use SNS in that region. PATCH config.topic_arn',
    KMSAccessDenied:
      "the key may not use the topic's encryption key. Allow kms:GenerateDataKey and kms:Decrypt, and test the channel",
    KMSDisabled: "the topic's encryption key is disabled. Enable it, and test the channel",
  },
};

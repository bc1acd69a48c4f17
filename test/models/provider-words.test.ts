import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toProviderError } from '../../server/models/provider-error.ts'

const own = 'sk-proj-Zq81nB4xW0vK7eT2mY5c'

const saidOf = (message: string, api_key = own) =>
  toProviderError({ status: 400, value: { error: { message } }, api_key }).said

test('the words of providers stay as they are', () => {
  for (const message of [
    // OpenAI
    "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY), or as the password field (with blank username) if you're accessing the API from your browser.",
    'You exceeded your current quota, please check your plan and billing details. For more information on this error, read the docs: https://platform.openai.com/docs/guides/error-codes/api-errors.',
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 12034 tokens.",
    'The model `gpt-4o-mini-2024-07-18` does not exist or you do not have access to it.',
    'Rate limit reached for gpt-4o on tokens per min (TPM): Limit 30000, Used 29412, Requested 1804. Please try again in 2.432s. Visit https://platform.openai.com/account/rate-limits to learn more.',
    'The server had an error. (Please include the request ID req_4f2a9c0b7d1e8f3a6c5b4d2e1f0a9b8c in your email.)',
    // Anthropic
    'invalid x-api-key',
    'x-api-key header is required',
    'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.',
    'max_tokens: 100000 > 8192, which is the maximum allowed number of output tokens for claude-3-5-sonnet-20241022',
    'prompt is too long: 205000 tokens > 200000 maximum',
    // Deepgram
    'Invalid credentials.',
    'Bad Request: failed to process audio: corrupt or unsupported data',
    // ElevenLabs
    'A voice with voice_id 21m00Tcm4TlvDq8ikWAM was not found.',
    'You have 0 credits remaining, while 12 credits are required for this request. This request exceeds your quota of 10000.',
    // Twilio
    'Authentication Error - invalid username',
    'Permission to send an SMS has not been enabled for the region indicated by the To number.',
    // Google
    'API key not valid. Please pass a valid API key.',
    'API key expired. Please renew the API key.',
    'models/gemini-1.5-pro is not found for API version v1main, or is not supported for generateContent.',
    'Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential.',
    // Others
    'Access denied due to invalid subscription key or wrong API endpoint. Make sure to provide a valid key for an active subscription.',
    'Unable to access model meta-llama/Llama-4-Maverick-17B-128E-Instruct-FP8. Please visit https://api.together.ai/models.',
    'Rate limit reached for model `llama-3.3-70b-versatile` on tokens per day (TPD): Limit 100000, Used 99000.',
    'Invalid username or password.',
    'password: must be at least 8 characters',
    'api_key: field required',
    'API key: 401 Unauthorized',
    'Basic authentication is not supported, use Bearer tokens.',
    'hf-inference has no such model',
  ])
    assert.equal(saidOf(message), message)
})

test('only secrets are cut from what providers say', () => {
  for (const [message, said] of [
    // OpenAI
    [
      'Incorrect API key provided: sk-abcd****wxyz. You can find your API key at https://platform.openai.com/account/api-keys.',
      'Incorrect API key provided: [redacted]. You can find your API key at https://platform.openai.com/account/api-keys.',
    ],
    [`Incorrect API key provided: ${own}.`, 'Incorrect API key provided: [redacted].'],
    ['Incorrect API key provided: sk-proj-************************mY5c.', 'Incorrect API key provided: [redacted].'],
    [
      'Rate limit reached in organization org-aB3dE5fG7hJ9kL1mN3pQ5rS7 on requests per min.',
      'Rate limit reached in organization org-[redacted] on requests per min.',
    ],
    // Anthropic
    ['Invalid key sk-ant-api03-Ab_c1-dEf2 in x-api-key.', 'Invalid key [redacted] in x-api-key.'],
    [
      'Invalid bearer token: Bearer sk-ant-oat01-Ab1 is not valid',
      'Invalid bearer token: Bearer [redacted] is not valid',
    ],
    // Deepgram
    ['The key 5e0123456789abcdefabcdefabcdefab56789012 is revoked.', 'The key [redacted] is revoked.'],
    // ElevenLabs
    ['Invalid API key: sk_0f1e2d3c4b5a69788796a5b4c3d2e1f0', 'Invalid API key: [redacted]'],
    // Twilio
    ["The 'To' number +1 415 555 0100 is not valid.", "The 'To' number [redacted] is not valid."],
    ['Account AC0123456789abcdef0123456789abcdef is suspended.', 'Account [redacted] is suspended.'],
    // Google
    [
      "Permission denied: Consumer 'api_key:AIzaSyD-9tSrke72PouQMnMX-a7eZSW0jkFMBWY' has been suspended.",
      "Permission denied: Consumer 'api_key:[redacted]' has been suspended.",
    ],
    [
      'Failed: https://generativelanguage.googleapis.com/v1beta/models?alt=sse&key=AIzaSyD&x=1 (403)',
      'Failed: https://generativelanguage.googleapis.com/v1beta/models?alt=sse&key=[redacted]&x=1 (403)',
    ],
    // Others
    [
      'Authentication Fails, Your api key: ****abcd is invalid',
      'Authentication Fails, Your api key: [redacted] is invalid',
    ],
    [
      'Invalid proxy server token passed. Received API Key = sk-...wxyz, not in the table',
      'Invalid proxy server token passed. Received API Key = [redacted], not in the table',
    ],
    [
      'Incorrect API key provided: xa***yz. See https://console.x.ai.',
      'Incorrect API key provided: [redacted]. See https://console.x.ai.',
    ],
    ['Cannot reach http://admin:hunter@10.0.0.5/v1', 'Cannot reach http://[redacted]@10.0.0.5/v1'],
    ['{"password":"hunter","user":"eve"}', '{"password":"[redacted]","user":"eve"}'],
    ['password=hunter is wrong', 'password=[redacted] is wrong'],
    ['Token eyJhbGciOiJI.eyJzdWIi.c2ln. Expired.', 'Token [redacted]. Expired.'],
    ['Key Zx9-aB3_cD5/eF7+gH9kL1mN3pQ5rS7tU9vW1xY3zA5= is unknown', 'Key [redacted] is unknown'],
  ] as const)
    assert.equal(saidOf(message), said)
})

test('a short key is cut where it stands alone', () => {
  assert.equal(saidOf('Incorrect API keys: key', 'key'), 'Incorrect API keys: [redacted]')
  assert.equal(saidOf('Bearer abc1-2345, and xy-abc1.', 'abc1'), 'Bearer [redacted], and [redacted].')
  assert.equal(saidOf(`Key ${own}Zx.`), 'Key [redacted].', 'and what is longer')
  assert.equal(saidOf('(abc1) is not abc12', 'abc1'), '([redacted]) is not abc12')
})

import { Alert, Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import type { ChannelTestResult, ChannelWithSettings } from '../../../server/channels/schema.ts'
import { useApi } from '../kit/api.ts'
import { errorMessage } from '../kit/error-messages.ts'
import { AlertIcon, CheckIcon, PhoneIcon } from '../kit/icons.tsx'
import { Card, Stack } from '../kit/Page.tsx'
import { formatPhoneNumber } from '../kit/phone-number.ts'
import { ErrorAlert } from '../kit/states.tsx'
import styles from './channels.module.css'

/** Looks at Twilio whether calls to the number come here. Nobody is called. */
export function NumberTest({ channel: { id, address } }: { channel: ChannelWithSettings }) {
  const api = useApi()
  const testing = useMutation({
    mutationFn: () => api.send<ChannelTestResult>('POST', `/channels/${id}/test`),
  })
  return (
    <Card title="Check the number">
      <Stack>
        {testing.error && <ErrorAlert>{errorMessage(testing.error)}</ErrorAlert>}
        <p className={styles.hint}>
          Asks Twilio how the number is set up, and checks whether the agent can hear. Nobody is called.
        </p>
        <div>
          <Button
            variant="default"
            leftSection={<PhoneIcon size={17} />}
            loading={testing.isPending}
            onClick={() => testing.mutate()}
          >
            Check number
          </Button>
          {/* The element is in the page before there is a result, so that screen readers announce it. */}
          <div role="status" className={styles.result}>
            {testing.data && <Result result={testing.data} address={address ?? ''} />}
          </div>
        </div>
      </Stack>
    </Card>
  )
}

function Result({ result: { findings }, address }: { result: ChannelTestResult; address: string }) {
  if (findings.length === 0)
    return (
      <Alert color="teal" icon={<CheckIcon />} title="Everything is set up">
        Call {formatPhoneNumber(address)} to talk to the agent.
      </Alert>
    )
  return (
    <Alert
      color="red"
      icon={<AlertIcon />}
      title={findings.length === 1 ? 'One thing to fix' : `${findings.length} things to fix`}
    >
      <ul className={styles.findings}>
        {findings.map(({ code, message }) => (
          <li key={code}>{message}</li>
        ))}
      </ul>
    </Alert>
  )
}

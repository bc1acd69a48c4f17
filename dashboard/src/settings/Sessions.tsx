import { Badge, Button } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { OpenSession } from '../../../server/people/schema.ts'
import { ConfirmDialog } from '../kit/ConfirmDialog.tsx'
import { Card } from '../kit/Page.tsx'
import { RelativeTime } from '../kit/RelativeTime.tsx'
import { createClient } from '../kit/request.ts'
import { useSignedOut } from '../kit/sign-out.ts'
import { LoadError, LoadingSkeleton } from '../kit/states.tsx'
import { showError } from '../kit/toast.ts'
import styles from './settings.module.css'

export function Sessions() {
  const signedOut = useSignedOut()
  const [is_confirming, setConfirming] = useState(false)
  const { data, error, refetch } = useQuery({
    queryKey: ['sessions'],
    queryFn: ({ signal }) => createClient().list<OpenSession>('/app/sessions', {}, { signal }),
  })
  const sessions = data?.data
  const signOutEverywhere = async () => {
    await createClient().send('DELETE', '/app/sessions')
    signedOut()
  }
  return (
    <Card
      title="Sessions"
      aside={
        <Button size="xs" variant="default" onClick={() => setConfirming(true)}>
          Sign out everywhere
        </Button>
      }
    >
      {error && !data && <LoadError error={error} retry={refetch} />}
      {!sessions && !error && <LoadingSkeleton lines={2} />}
      <ul className={styles.lines}>
        {sessions?.map((session) => (
          <SessionLine key={session.id} {...session} />
        ))}
      </ul>
      <ConfirmDialog
        is_open={is_confirming}
        title="Sign out everywhere?"
        confirm_label="Sign out everywhere"
        onClose={() => setConfirming(false)}
        onConfirm={signOutEverywhere}
      >
        This signs you out on every device, including this one.
      </ConfirmDialog>
    </Card>
  )
}

function SessionLine({ id, user_agent, last_used_at, is_current }: OpenSession) {
  const client = useQueryClient()
  const ending = useMutation({
    mutationFn: () => createClient().send('DELETE', `/app/sessions/${id}`),
    onError: showError,
    onSuccess: () => client.invalidateQueries({ queryKey: ['sessions'] }),
  })
  return (
    <li>
      <span>
        <strong>{deviceName(user_agent)}</strong>{' '}
        <span className={styles.quiet}>
          Last used <RelativeTime time={last_used_at} />
        </span>
      </span>
      {is_current ? (
        <Badge variant="light" tt="none">
          This device
        </Badge>
      ) : (
        <Button size="xs" variant="subtle" color="red" loading={ending.isPending} onClick={() => ending.mutate()}>
          Sign out
        </Button>
      )}
    </li>
  )
}

/** The order matters: Edge also claims to be Chrome, and Chrome to be Safari. */
const browsers: [RegExp, string][] = [
  [/Edg\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\//, 'Firefox'],
  [/Chrome\//, 'Chrome'],
  [/Safari\//, 'Safari'],
]
const systems: [RegExp, string][] = [
  [/iPhone|iPad/, 'iOS'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/Linux/, 'Linux'],
]

function deviceName(user_agent: string): string {
  const find = (names: [RegExp, string][]) => names.find(([pattern]) => pattern.test(user_agent))?.[1]
  const browser = find(browsers)
  const system = find(systems)
  if (!browser) return user_agent.slice(0, 60) || 'Unknown device'
  return system ? `${browser} on ${system}` : browser
}

import { Button } from '@mantine/core'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Consent } from '../../../server/consent/schema.ts'
import type { Contact } from '../../../server/contacts/schema.ts'
import { useApi } from '../kit/api.ts'
import { Dialog } from '../kit/Dialog.tsx'
import { Fact, FactList } from '../kit/FactList.tsx'
import { formatDate, formatTime } from '../kit/format.ts'
import { Card } from '../kit/Page.tsx'
import { Status } from '../kit/Status.tsx'
import { LoadError, LoadingSkeleton } from '../kit/states.tsx'
import { ConsentHistory } from './ConsentHistory.tsx'
import styles from './consent.module.css'
import { consentsQuery, kind_names, latestOf, source_phrases, suppressionsOfQuery } from './consent.ts'
import { RecordConsentForm } from './RecordConsentForm.tsx'
import { RemoveSuppression } from './RemoveSuppression.tsx'
import { SuppressForm } from './SuppressForm.tsx'

type Form = Consent['status'] | 'suppress'
const titles: Record<Form, string> = {
  revoked: 'Record opt-out',
  granted: 'Record consent',
  suppress: 'Suppress number',
}

/** Shows whether the contact may be called and written to, and why. Only members and owners see it. */
export function ConsentCard({ contact: { id, phone_number } }: { contact: Contact }) {
  const consents = useInfiniteQuery(consentsQuery(useApi(), id))
  const [dialog, setDialog] = useState<Form>()
  const close = () => setDialog(undefined)
  const entries = consents.data?.pages.flatMap(({ data }) => data)
  return (
    <Card title="Consent">
      {consents.error && !entries && <LoadError error={consents.error} retry={consents.refetch} />}
      {consents.isPending && <LoadingSkeleton lines={3} />}
      {entries && (
        <>
          <FactList>
            <Fact name="SMS">
              <KindState kind="sms" entries={entries} has_older={consents.hasNextPage} />
            </Fact>
            <Fact name="Calls">
              <KindState kind="voice" entries={entries} has_older={consents.hasNextPage} />
            </Fact>
            <Fact name="Number">
              <NumberState phone_number={phone_number} />
            </Fact>
          </FactList>
          <div className={styles.actions}>
            {(Object.keys(titles) as Form[]).map((name) => (
              <Button key={name} size="xs" variant="default" onClick={() => setDialog(name)}>
                {titles[name]}
              </Button>
            ))}
          </div>
          {entries.length > 0 && <ConsentHistory contact_id={id} entries={entries} query={consents} />}
        </>
      )}
      <Dialog is_open={dialog !== undefined} onClose={close} title={dialog && titles[dialog]}>
        {dialog === 'suppress' && <SuppressForm phone_number={phone_number} onClose={close} />}
        {dialog && dialog !== 'suppress' && <RecordConsentForm contact_id={id} status={dialog} onClose={close} />}
      </Dialog>
    </Card>
  )
}

interface KindStateProps {
  kind: 'sms' | 'voice'
  entries: Consent[]
  has_older: boolean
}

function KindState({ kind, entries, has_older }: KindStateProps) {
  const latest = latestOf(kind, entries)
  if (!latest) return <Status tone="neutral">{has_older ? 'See the older history' : 'No opt-out'}</Status>
  const { status, created_at, source } = latest
  return (
    <>
      <Status tone={tones[status]}>
        {status === 'granted' ? 'Agreed' : latest.kind === 'all' ? 'Opted out of all' : 'Opted out'}
      </Status>{' '}
      <span className={styles.more} title={formatTime(created_at)}>
        on {formatDate(created_at)} {source_phrases[source]}
      </span>
    </>
  )
}

function NumberState({ phone_number }: { phone_number: string }) {
  const { data, error } = useQuery(suppressionsOfQuery(useApi(), phone_number))
  if (error && !data) return <span className={styles.more}>Couldn’t load suppressions.</span>
  if (!data) return <LoadingSkeleton lines={1} />
  if (data.data.length === 0) return <Status tone="neutral">Not suppressed</Status>
  return data.data.map((suppression) => (
    <div key={suppression.id}>
      <Status tone="danger">Suppressed for {kind_names[suppression.kind]}</Status>{' '}
      <span className={styles.more} title={formatTime(suppression.created_at)}>
        on {formatDate(suppression.created_at)}
        {suppression.reason && `: ${suppression.reason}`}
      </span>{' '}
      <RemoveSuppression suppression={suppression} />
    </div>
  ))
}

const tones = { granted: 'success', revoked: 'danger' } as const

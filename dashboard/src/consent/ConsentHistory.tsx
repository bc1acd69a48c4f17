import { Button } from '@mantine/core'
import { useState } from 'react'
import type { Consent } from '../../../server/consent/schema.ts'
import { RelativeTime } from '../kit/RelativeTime.tsx'
import { ConsentEvidence } from './ConsentEvidence.tsx'
import styles from './consent.module.css'
import { describeConsent, source_phrases } from './consent.ts'

const shown_first = 5
const shown_more = 50

interface ConsentHistoryProps {
  contact_id: string
  /** The entries that are loaded, newest first. */
  entries: Consent[]
  query: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown }
}

export function ConsentHistory({ contact_id, entries, query }: ConsentHistoryProps) {
  const [shown, setShown] = useState(shown_first)
  const showMore = () => {
    const wanted = shown + shown_more
    setShown(wanted)
    if (wanted > entries.length && query.hasNextPage) void query.fetchNextPage()
  }
  return (
    <>
      <h3 className={styles.historyTitle}>History</h3>
      <ol className={styles.history} aria-label="History of consent">
        {entries.slice(0, shown).map((entry) => (
          <li key={entry.id}>
            <span>
              {describeConsent(entry)} {source_phrases[entry.source]}
            </span>
            <span className={styles.when}>
              <RelativeTime time={entry.created_at} />
            </span>
            <span className={styles.evidence}>
              <ConsentEvidence evidence={entry.evidence} />
            </span>
            {entry.contact_id !== contact_id && (
              <span className={styles.evidence}>Recorded for an earlier contact with this number.</span>
            )}
          </li>
        ))}
      </ol>
      {(entries.length > shown || query.hasNextPage) && (
        <Button variant="subtle" size="xs" loading={query.isFetchingNextPage} onClick={showMore}>
          Show more
        </Button>
      )}
    </>
  )
}

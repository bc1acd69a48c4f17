import { Select, TagsInput, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { contactTitle } from '../contacts/contact.ts'
import { type Source, source_names, sources } from '../contacts/search.ts'
import { useApi } from '../kit/api.ts'
import { errorMessage } from '../kit/error-messages.ts'
import { formatCount, formatNumber } from '../kit/format.ts'
import { formatPhoneNumber } from '../kit/phone-number.ts'
import { type Audience, audienceQuery, isEveryone } from './audience.ts'
import styles from './campaigns.module.css'

const typing_ms = 300

interface AudienceFieldsProps {
  audience: Audience
  onChange: (audience: Audience) => void
}

/** Chooses contacts by a filter, and shows who matches. */
export function AudienceFields({ audience, onChange }: AudienceFieldsProps) {
  return (
    <div className={styles.form}>
      <div className={styles.pair}>
        <TextInput
          label="Search"
          placeholder="Name, number or email"
          value={audience.search}
          onChange={({ currentTarget }) => onChange({ ...audience, search: currentTarget.value })}
        />
        <TagsInput
          label="Tags"
          placeholder={audience.tag.length > 0 ? '' : 'Any tag'}
          value={audience.tag}
          onChange={(tag) => onChange({ ...audience, tag })}
        />
        <Select
          label="Source"
          placeholder="Any source"
          data={sources.map((source) => ({ value: source, label: source_names[source] }))}
          value={audience.source}
          onChange={(source) => onChange({ ...audience, source: source as Source | null })}
          clearable
          clearButtonProps={{ 'aria-label': 'Clear source' }}
        />
      </div>
      <Matches audience={audience} />
    </div>
  )
}

/** Shows how many contacts match, and the first of them. */
function Matches({ audience }: { audience: Audience }) {
  const [settled] = useDebouncedValue(audience, typing_ms)
  const { data, error } = useQuery(audienceQuery(useApi(), settled))
  const total = data?.pagination.total ?? 0
  const text = () => {
    if (error) return errorMessage(error)
    if (!data) return 'Counting contacts…'
    if (isEveryone(settled)) return total === 0 ? 'There are no contacts yet.' : `All ${formatCount(total, 'contact')}.`
    return `${formatCount(total, 'contact')} ${total === 1 ? 'matches' : 'match'}.`
  }
  return (
    <div className={styles.part}>
      <p className={styles.count} role="status">
        {text()}
      </p>
      {data && data.data.length > 0 && (
        <ul className={styles.sample} aria-label="Sample contacts">
          {data.data.map((contact) => (
            <li key={contact.id}>
              <span>{contactTitle(contact)}</span>
              <span>{formatPhoneNumber(contact.phone_number)}</span>
              <span>{contact.company || contact.tags.join(', ')}</span>
            </li>
          ))}
          {total > data.data.length && <li>and {formatNumber(total - data.data.length)} more</li>}
        </ul>
      )}
    </div>
  )
}

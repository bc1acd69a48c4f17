import { Select, TagsInput, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { type Source, source_names, sources } from '../contacts/search.ts'
import { useApi } from '../kit/api.ts'
import { errorMessage } from '../kit/error-messages.ts'
import { formatCount } from '../kit/format.ts'
import { type Audience, audienceCountQuery, isEveryone } from './audience.ts'
import styles from './campaigns.module.css'

const typing_ms = 300

interface AudienceFieldsProps {
  audience: Audience
  onChange: (audience: Audience) => void
}

/** Chooses contacts by a filter, and says how many match. */
export function AudienceFields({ audience, onChange }: AudienceFieldsProps) {
  return (
    <div className={styles.form}>
      <div className={styles.three}>
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
      <Count audience={audience} />
    </div>
  )
}

function Count({ audience }: { audience: Audience }) {
  const [settled] = useDebouncedValue(audience, typing_ms)
  const { data, error } = useQuery(audienceCountQuery(useApi(), settled))
  const text = () => {
    if (error) return errorMessage(error)
    if (data === undefined) return 'Counting contacts…'
    if (isEveryone(settled)) return data === 0 ? 'There are no contacts yet.' : `All ${formatCount(data, 'contact')}.`
    return `${formatCount(data, 'contact')} ${data === 1 ? 'matches' : 'match'}.`
  }
  return (
    <p className={styles.count} role="status">
      {text()}
    </p>
  )
}

import { Select, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ApiKey } from '../../../server/api-keys/schema.ts'
import type { AuditEntry } from '../../../server/audit/schema.ts'
import { useApi } from '../kit/api.ts'
import type { FilterChipProps } from '../kit/FilterChip.tsx'
import { Filters, filter_list } from '../kit/Filters.tsx'
import { formatDate } from '../kit/format.ts'
import { membersQuery } from '../people/members.ts'
import { action_choices, actionName } from './actions.ts'
import { describeSubject, describeWho } from './describe.ts'
import type { AuditSearch } from './search.ts'

type Filter = Exclude<keyof AuditSearch, 'entry'>

interface AuditFiltersProps {
  filters: AuditSearch
  /** The entries in the list: they know names of people and keys that are gone. */
  entries: AuditEntry[]
  onChange: (filters: AuditSearch) => void
}

export function AuditFilters({ filters, entries, onChange }: AuditFiltersProps) {
  const actors = useActors()
  const { action, actor_id, subject_id, from, to } = filters
  const set = (name: Filter, value: string | null) => {
    const { [name]: _, ...others } = filters
    onChange(value ? { ...others, [name]: value } : others)
  }
  const nameActor = (id: string) => {
    const known = actors.flatMap(({ items }) => items).find(({ value }) => value === id)
    const entry = entries.find(({ actor }) => actor.id === id)
    return known?.label ?? (entry ? describeWho(entry) : id.slice(-8))
  }
  const nameSubject = (id: string) => {
    const entry = entries.find(({ subject }) => subject?.id === id)
    return entry ? describeSubject(entry) : id.slice(-8)
  }
  const chip = (filter: Filter, name: string, value: string | undefined): FilterChipProps[] =>
    value ? [{ name, value, onRemove: () => set(filter, null) }] : []
  return (
    <Filters
      label="Filter the audit log"
      chips={[
        ...chip('action', 'Action', action && actionName(action)),
        ...chip('actor_id', 'By', actor_id && nameActor(actor_id)),
        ...chip('subject_id', 'About', subject_id && nameSubject(subject_id)),
        ...chip('from', 'From', from && formatDay(from)),
        ...chip('to', 'To', to && formatDay(to)),
      ]}
    >
      <Select
        label="Action"
        placeholder="Any action"
        data={action_choices}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': 'Clear action' }}
        nothingFoundMessage="No results"
        comboboxProps={filter_list}
        openOnFocus={false}
        value={action ?? null}
        onChange={(value) => set('action', value)}
      />
      <Select
        label="Person or API key"
        placeholder="Anyone"
        data={actors}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': 'Clear person or API key' }}
        nothingFoundMessage="No results"
        comboboxProps={filter_list}
        openOnFocus={false}
        value={actor_id ?? null}
        onChange={(value) => set('actor_id', value)}
      />
      <TextInput
        type="date"
        label="From"
        value={from ?? ''}
        onChange={({ currentTarget }) => set('from', currentTarget.value)}
      />
      <TextInput
        type="date"
        label="To"
        value={to ?? ''}
        onChange={({ currentTarget }) => set('to', currentTarget.value)}
      />
    </Filters>
  )
}

const formatDay = (date: string): string => formatDate(`${date}T00:00`)

/** Lists the members of now, and all keys, also revoked ones. */
function useActors() {
  const api = useApi()
  const members = useQuery(membersQuery(api.workspace))
  const keys = useQuery({
    queryKey: [api.workspace, 'api_keys', 'choices'],
    queryFn: ({ signal }) => api.list<ApiKey>('/api_keys', { limit: 100 }, signal),
  })
  return [
    {
      group: 'People',
      items: (members.data?.data ?? []).map(({ person_id, name }) => ({ value: person_id, label: name })),
    },
    {
      group: 'API keys',
      items: (keys.data?.data ?? []).map(({ id, name, last_four }) => ({
        value: id,
        label: `${name} (…${last_four})`,
      })),
    },
  ].filter(({ items }) => items.length > 0)
}

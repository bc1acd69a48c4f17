import { Select, Switch, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { outcome_names, outcomes } from '../calls/call.ts'
import { agentsQuery, channelsQuery } from '../channels/channel.ts'
import { useApi } from '../kit/api.ts'
import type { FilterChipProps } from '../kit/FilterChip.tsx'
import { Filters, filter_list } from '../kit/Filters.tsx'
import { SearchIcon } from '../kit/icons.tsx'
import { useSearchText } from '../kit/useSearchText.ts'
import { kind_names, status_names, statuses } from './conversation.ts'
import styles from './conversations.module.css'
import { type ConversationSearch, kinds, search_length_min } from './search.ts'
import { useContactName } from './useContactName.ts'

type Change = { [name in keyof ConversationSearch]: ConversationSearch[name] | undefined }

interface ConversationFiltersProps {
  search: ConversationSearch
  onChange: (search: ConversationSearch) => void
  /** Whether it is the inbox, which shows one status only. */
  is_inbox?: boolean
}

export function ConversationFilters({ search, onChange, is_inbox = false }: ConversationFiltersProps) {
  const api = useApi()
  const channels = useQuery(channelsQuery(api)).data?.data
  const agents = useQuery({ ...agentsQuery(api), enabled: !is_inbox }).data
  const contact = useContactName({ kind: 'api', contact_id: search.contact_id ?? null, counterpart: null })
  const filter = (changed: Change) =>
    onChange(Object.fromEntries(Object.entries({ ...search, ...changed }).filter(([, value]) => value !== undefined)))
  const chip = (member: keyof ConversationSearch, name: string, value: string | undefined): FilterChipProps[] =>
    search[member] === undefined ? [] : [{ name, value: value ?? '…', onRemove: () => filter({ [member]: undefined }) }]
  const { status, kind, agent_id, channel_id, outcome } = search
  return (
    <div className={styles.filters}>
      {!is_inbox && (
        <CallSearch
          value={search.search}
          onChange={(words) => filter({ search: words, status: undefined, is_test: undefined })}
        />
      )}
      <Filters
        label="Filter conversations"
        chips={[
          ...chip('contact_id', 'Contact', contact),
          ...chip('status', 'Status', status && status_names[status]),
          ...chip('agent_id', 'Agent', nameOf(agents, agent_id)),
          ...chip('kind', 'Kind', kind && kind_names[kind]),
          ...chip('channel_id', 'Channel', nameOf(channels, channel_id)),
          ...chip('outcome', 'Outcome', outcome && outcome_names[outcome]),
          ...chip('is_test', 'Show', 'Test chats'),
        ]}
      >
        {!is_inbox && (
          <>
            <Filter
              name="Status"
              all="All statuses"
              data={statuses.map((value) => ({ value, label: status_names[value] }))}
              value={status}
              onChange={(value) =>
                filter({ status: statuses.find((one) => one === value), outcome: undefined, search: undefined })
              }
            />
            <Filter
              name="Agent"
              all="All agents"
              data={toChoices(agents)}
              value={agent_id}
              onChange={(agent_id) => filter({ agent_id })}
            />
          </>
        )}
        <Filter
          name="Kind"
          all="All kinds"
          data={kinds.map((value) => ({ value, label: kind_names[value] }))}
          value={kind}
          onChange={(value) => {
            const kind = kinds.find((one) => one === value)
            filter({ kind, ...(kind && kind !== 'voice' && { outcome: undefined, search: undefined }) })
          }}
        />
        <Filter
          name="Channel"
          all="All channels"
          data={toChoices(channels)}
          value={channel_id}
          onChange={(channel_id) => filter({ channel_id })}
        />
        {!is_inbox && (kind === 'voice' || outcome) && (
          <Filter
            name="Outcome"
            all="All outcomes"
            data={outcomes.map((value) => ({ value, label: outcome_names[value] }))}
            value={outcome}
            onChange={(value) =>
              filter({ outcome: outcomes.find((one) => one === value), status: undefined, is_test: undefined })
            }
          />
        )}
        <Switch
          label="Test chats"
          size="xs"
          checked={search.is_test ?? false}
          onChange={({ currentTarget: { checked } }) =>
            filter({ is_test: checked || undefined, outcome: undefined, search: undefined })
          }
        />
      </Filters>
    </div>
  )
}

const typing_ms = 300

/** Finds calls by what was said in them. */
function CallSearch({ value = '', onChange }: { value?: string | undefined; onChange: (value?: string) => void }) {
  const isShort = (words: string) => words !== '' && words.length < search_length_min
  const { text, type } = useSearchText({
    searched: value,
    typing_ms,
    read: (text) => (isShort(text.trim()) ? undefined : text.trim()),
    onSearch: onChange,
  })
  return (
    <TextInput
      type="search"
      size="xs"
      aria-label="Search what was said in calls"
      placeholder="Search what was said in calls"
      description={isShort(text.trim()) ? `At least ${search_length_min} characters.` : undefined}
      leftSection={<SearchIcon size={15} />}
      maxLength={200}
      value={text}
      onChange={({ currentTarget }) => type(currentTarget.value)}
    />
  )
}

const nameOf = (all: { id: string; name: string }[] = [], id: string | undefined): string | undefined =>
  all.find((one) => one.id === id)?.name

const toChoices = (all: { id: string; name: string }[] = []): FilterProps['data'] =>
  all.map(({ id, name }) => ({ value: id, label: name }))

interface FilterProps {
  name: string
  /** The text while nothing is chosen. */
  all: string
  data: { value: string; label: string }[]
  value: string | undefined
  onChange: (value: string | undefined) => void
}

const Filter = ({ name, all, data, value, onChange }: FilterProps) => (
  <Select
    label={name}
    placeholder={all}
    comboboxProps={filter_list}
    clearable
    clearButtonProps={{ 'aria-label': `Clear ${name.toLowerCase()}` }}
    searchable={data.length > 10}
    data={data}
    value={value ?? null}
    onChange={(chosen) => onChange(chosen ?? undefined)}
  />
)

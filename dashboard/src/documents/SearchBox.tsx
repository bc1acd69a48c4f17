import { Button, Select, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { SearchResult } from '../../../server/documents/schema.ts'
import { useApi } from '../kit/api.ts'
import { LoadError, LoadingSkeleton } from '../kit/states.tsx'
import styles from './documents.module.css'
import { readersQuery } from './readers.ts'

const all_documents = ''

/** Shows what an agent would find. */
export function SearchBox() {
  const api = useApi()
  const [text, setText] = useState('')
  const [query, setQuery] = useState('')
  const [agent_id, setAgentId] = useState(all_documents)
  const agents = useQuery(readersQuery(api)).data?.filter(({ knowledge }) => knowledge !== null) ?? []
  const knowledge = agents.find(({ id }) => id === agent_id)?.knowledge
  const scope = { tags: knowledge?.tags?.join(','), document_ids: knowledge?.document_ids?.join(',') }
  const found = useQuery({
    queryKey: [api.workspace, 'documents', 'search', query, scope],
    queryFn: ({ signal }) => api.get<SearchResult>('/documents/search', { query, ...scope }, signal),
    enabled: query !== '',
  })
  return (
    <>
      <form
        className={styles.search}
        onSubmit={(event) => {
          event.preventDefault()
          setQuery(text.trim())
        }}
      >
        <TextInput
          label="Question"
          placeholder="When are you open?"
          maxLength={500}
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
        />
        <Select
          label="As"
          data={[
            { value: all_documents, label: 'All documents' },
            ...agents.map(({ id, name }) => ({ value: id, label: name })),
          ]}
          value={agent_id}
          allowDeselect={false}
          onChange={(id) => setAgentId(id ?? all_documents)}
        />
        <Button type="submit" variant="default">
          Search
        </Button>
      </form>
      {found.error && <LoadError error={found.error} retry={found.refetch} />}
      {found.isLoading && <LoadingSkeleton lines={3} />}
      {found.data && <Found {...found.data} />}
    </>
  )
}

function Found({ passages, answer }: SearchResult) {
  if (passages.length === 0) return <p role="status">No results</p>
  return (
    <div role="status">
      <p className={styles.hint}>{answer ? `A script would answer: “${answer}”` : 'A script would not answer this.'}</p>
      <ol className={styles.passages}>
        {passages.map(({ id, title, heading, text, score }) => (
          <li key={id}>
            <strong>{[title, heading].filter((part) => part !== '').join(' › ')}</strong>{' '}
            <span className={styles.hint}>{Math.round(score * 100)}%</span>
            <p className={styles.passage}>{text}</p>
          </li>
        ))}
      </ol>
    </div>
  )
}

import { MultiSelect, SegmentedControl, TagsInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { documentChoicesQuery } from '../documents/choices.ts'
import { useApi } from '../kit/api.ts'
import styles from './agents.module.css'
import type { Draft } from './useDraft.ts'

const choices = [
  { value: 'none', label: 'None' },
  { value: 'tags', label: 'By tag' },
  { value: 'document_ids', label: 'Documents' },
]

interface KnowledgeFieldProps {
  draft: Draft
  error: string | undefined
  is_read_only: boolean
}

/** Chooses what the agent can look up. Nothing is saved before something is chosen. */
export function KnowledgeField({ draft: { values, change }, error, is_read_only }: KnowledgeFieldProps) {
  const api = useApi()
  const { knowledge } = values
  const { data } = useQuery(documentChoicesQuery(api))
  const documents = data?.data ?? []
  const tags = [...new Set(documents.flatMap((document) => document.tags))].sort()
  const chosen = knowledge === null ? 'none' : knowledge.tags ? 'tags' : 'document_ids'
  const choose = (choice: string) => {
    if (choice === 'none') change({ knowledge: null })
    else if (choice === 'tags' && tags[0]) change({ knowledge: { tags: [tags[0]] } })
    else if (choice === 'document_ids' && documents[0]) change({ knowledge: { document_ids: [documents[0].id] } })
  }
  const known = new Set(documents.map(({ id }) => id))
  const missing = (knowledge?.document_ids ?? []).filter((id) => !known.has(id))
  return (
    <fieldset className={styles.knowledge}>
      <legend>Knowledge</legend>
      <SegmentedControl
        aria-label="Knowledge"
        size="xs"
        data={choices.map((choice) => ({
          ...choice,
          disabled:
            is_read_only ||
            (choice.value === 'tags' && tags.length === 0 && chosen !== 'tags') ||
            (choice.value === 'document_ids' && documents.length === 0 && chosen !== 'document_ids'),
        }))}
        value={chosen}
        onChange={choose}
      />
      {knowledge?.tags && (
        <TagsInput
          aria-label="Tags"
          data={tags}
          value={knowledge.tags}
          disabled={is_read_only}
          error={error}
          onChange={(chosen_tags) => change({ knowledge: chosen_tags.length > 0 ? { tags: chosen_tags } : null })}
        />
      )}
      {knowledge?.document_ids && (
        <MultiSelect
          aria-label="Documents"
          searchable
          data={[
            ...documents.map(({ id, name }) => ({ value: id, label: name })),
            ...missing.map((id) => ({ value: id, label: id })),
          ]}
          value={knowledge.document_ids}
          disabled={is_read_only}
          error={error}
          onChange={(ids) => change({ knowledge: ids.length > 0 ? { document_ids: ids } : null })}
        />
      )}
      {knowledge === null && error && (
        <p className={styles.transferError} role="alert">
          {error}
        </p>
      )}
    </fieldset>
  )
}

import { ActionIcon, Button, Group, Select, Textarea, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { FieldMap, Integration } from '../../../server/integrations/schema.ts'
import { contact_fields } from '../contacts/contact-fields.ts'
import { crmName } from '../contacts/crm.ts'
import { useApi } from '../kit/api.ts'
import { useConflicts } from '../kit/Conflict.tsx'
import { country_names } from '../kit/countries.ts'
import { errorMessage } from '../kit/error-messages.ts'
import { TrashIcon } from '../kit/icons.tsx'
import { changedFields, mergeMembers } from '../kit/merge.ts'
import { ErrorAlert } from '../kit/states.tsx'
import { showToast } from '../kit/toast.ts'
import { useUnsaved } from '../kit/unsaved.tsx'
import { integrationQuery } from './integration.ts'
import styles from './integrations.module.css'
import { SamplePreview } from './SamplePreview.tsx'
import { SampleTree } from './SampleTree.tsx'

interface FieldMapEditorProps {
  integration: Integration
  /** The sample as JSON text. */
  sample: string
  onSample: (sample: string) => void
}

interface Draft {
  pointers: Record<string, string>
  /** The form keeps these as they are: only the API changes them. */
  custom_fields: Record<string, string>
  crm_ids: { system: string; pointer: string }[]
  default_country: string | null
}

export function FieldMapEditor({ integration, sample, onSample }: FieldMapEditorProps) {
  const api = useApi()
  const client = useQueryClient()
  const [before, setBefore] = useState(integration)
  const [draft, setDraft] = useState(() => toDraft(integration))
  const conflicts = useConflicts({ labels: contact_labels })
  const saving = useMutation({
    mutationFn: (wanted: Mapping) =>
      api.update<Integration>(`/integrations/${integration.id}`, async (current) => {
        const chosen = await conflicts.choose({ before: toMapping(before), mine: wanted, theirs: toMapping(current) })
        return toChanges(before, chosen, current)
      }),
    onSuccess: (changed) => {
      setBefore(changed)
      setDraft(toDraft(changed))
      client.setQueryData(integrationQuery(api, integration.id).queryKey, changed)
      showToast('Field mapping saved.')
    },
  })
  const { json, error } = parseSample(sample)
  const field_map = toFieldMap(draft)
  const is_changed = JSON.stringify(draft) !== JSON.stringify(toDraft(before))
  useUnsaved(is_changed)
  const set = (field: string, pointer: string) =>
    setDraft((before) => ({ ...before, pointers: { ...before.pointers, [field]: pointer } }))
  const setCrm = (crm_ids: Draft['crm_ids']) => setDraft((before) => ({ ...before, crm_ids }))
  const choose = (field: string, pointer: string) => {
    // Pins the sample: later requests no longer replace it.
    onSample(sample)
    if (field === 'crm_ids') setCrm([...draft.crm_ids.filter(({ pointer }) => pointer), { system: '', pointer }])
    else set(field, pointer)
  }
  return (
    <form
      className={styles.editor}
      onSubmit={(event) => {
        event.preventDefault()
        saving.mutate({ field_map, default_country: draft.default_country })
      }}
    >
      <div className={styles.side}>
        <Textarea
          label="Sample"
          description="Paste JSON, or send a request to the webhook URL: the latest one appears here."
          placeholder={'{ "phone": "+14155550100", "name": "Ada" }'}
          autosize
          minRows={4}
          maxRows={8}
          value={sample}
          error={error}
          onChange={({ currentTarget }) => onSample(currentTarget.value)}
          classNames={{ input: styles.mono }}
        />
        {json !== undefined && (
          <div>
            <p className={styles.hint}>Click a value to map it to a field.</p>
            <SampleTree json={json} field_map={field_map} onChoose={choose} />
          </div>
        )}
      </div>
      <div className={styles.side}>
        <div className={styles.fields}>
          {contact_fields.map(({ value, label }) => (
            <TextInput
              key={value}
              label={label}
              placeholder={value === 'phone_number' ? '/phone' : 'Not mapped'}
              value={draft.pointers[value] ?? ''}
              onChange={({ currentTarget }) => set(value, currentTarget.value)}
              classNames={{ input: styles.mono }}
            />
          ))}
        </div>
        {draft.crm_ids.map((crm, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the rows have no other key while they are edited
          <Group key={index} align="flex-end" gap="xs" wrap="nowrap">
            <TextInput
              label="CRM system"
              placeholder="hubspot"
              value={crm.system}
              onChange={({ currentTarget }) =>
                setCrm(draft.crm_ids.with(index, { ...crm, system: currentTarget.value }))
              }
            />
            <TextInput
              label="CRM ID"
              placeholder="/id"
              value={crm.pointer}
              onChange={({ currentTarget }) =>
                setCrm(draft.crm_ids.with(index, { ...crm, pointer: currentTarget.value }))
              }
              classNames={{ input: styles.mono }}
            />
            <ActionIcon
              variant="subtle"
              color="gray"
              size="lg"
              aria-label={`Remove ${crmName(crm.system || 'CRM')} ID`}
              onClick={() => setCrm(draft.crm_ids.toSpliced(index, 1))}
            >
              <TrashIcon size={17} />
            </ActionIcon>
          </Group>
        ))}
        <Select
          label="Default country"
          description="For phone numbers without a country code, for example 030 901820."
          placeholder="None"
          data={country_names}
          value={draft.default_country}
          onChange={(default_country) => setDraft({ ...draft, default_country })}
          searchable
          clearable
          clearButtonProps={{ 'aria-label': 'Clear country' }}
        />
        {json !== undefined && (
          <SamplePreview
            id={integration.id}
            sample={json}
            field_map={field_map}
            default_country={draft.default_country}
          />
        )}
        {conflicts.dialog}
        {saving.error && <ErrorAlert>{errorMessage(saving.error)}</ErrorAlert>}
        <Group>
          <Button type="submit" disabled={!is_changed} loading={saving.isPending}>
            Save
          </Button>
        </Group>
      </div>
    </form>
  )
}

type Mapping = Pick<Integration, 'field_map' | 'default_country'>

/** Makes the mapping that the form has: CRM ids may be absent from what is stored. */
const toMapping = ({ field_map, default_country }: Mapping): Mapping => ({
  field_map: { ...field_map, crm_ids: field_map.crm_ids ?? {} },
  default_country,
})

const contact_labels = Object.fromEntries(contact_fields.map(({ value, label }) => [value, label]))

/** Merges field by field, to keep fields that others mapped meanwhile. */
function toChanges(before: Mapping, wanted: Mapping, current: Mapping): Partial<Mapping> {
  const [from, to, into] = [before.field_map, wanted.field_map, current.field_map]
  const crm_ids = mergeMembers(from.crm_ids ?? {}, to.crm_ids ?? {}, into.crm_ids ?? {})
  return {
    field_map: { ...mergeMembers<FieldMap[keyof FieldMap]>(from, to, into), crm_ids },
    ...changedFields({ default_country: before.default_country }, { default_country: wanted.default_country }),
  }
}

function parseSample(sample: string): { json?: unknown; error?: string } {
  if (sample.trim() === '') return {}
  try {
    return { json: JSON.parse(sample) }
  } catch {
    return { error: 'Invalid JSON.' }
  }
}

/** Each field has a pointer, so that one that is typed and cleared again doesn't count as changed. */
const not_mapped = Object.fromEntries(contact_fields.map(({ value }) => [value, '']))

function toDraft({ field_map, default_country }: Integration): Draft {
  const { crm_ids = {}, custom_fields = {}, ...rest } = field_map
  const mapped = Object.fromEntries(Object.entries(rest).map(([field, pointer]) => [field, String(pointer)]))
  return {
    pointers: { ...not_mapped, ...mapped },
    custom_fields,
    crm_ids: Object.entries(crm_ids).map(([system, pointer]) => ({ system, pointer })),
    default_country,
  }
}

function toFieldMap({ pointers, custom_fields, crm_ids }: Draft): FieldMap {
  const mapped = Object.entries(pointers).filter(([, pointer]) => pointer.trim() !== '')
  const systems = crm_ids.filter(({ system, pointer }) => system.trim() !== '' && pointer.trim() !== '')
  return {
    ...Object.fromEntries(mapped),
    ...(Object.keys(custom_fields).length > 0 && { custom_fields }),
    crm_ids: Object.fromEntries(systems.map(({ system, pointer }) => [system.trim(), pointer])),
  }
}

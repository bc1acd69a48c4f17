import { Checkbox, NumberInput, Select, Textarea, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { Tool, ToolMethod, ToolWithSecret } from '../../../server/tools/schema.ts'
import { useApi } from '../kit/api.ts'
import { useConflicts } from '../kit/Conflict.tsx'
import { FormButtons } from '../kit/Dialog.tsx'
import { formErrors } from '../kit/error-messages.ts'
import { jsonError } from '../kit/json.ts'
import { isSameOrigin } from '../kit/request.ts'
import type { FormProps } from '../kit/SignedDialogs.tsx'
import { ErrorAlert } from '../kit/states.tsx'
import { useUnsaved } from '../kit/unsaved.tsx'
import { HeaderFields } from './HeaderFields.tsx'
import { type ToolValues, toBody, toChanges, toValues } from './tool-values.ts'
import styles from './tools.module.css'

const kinds = [
  { value: 'http', label: 'Request to your server' },
  { value: 'mcp', label: 'MCP server' },
]
const methods: ToolMethod[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
const fields = Object.keys(toValues())
const labels = {
  url: 'URL',
  timeout_ms: 'Timeout',
  say_while: 'Say while it runs',
  calls_max: 'Runs in one answer',
  confirm: 'Ask the contact first',
}

interface ToolFormProps extends FormProps {
  /** The tool to edit. Without it, the form creates one. */
  tool?: Tool
}

export function ToolForm({ tool, onSaved, onCancel }: ToolFormProps) {
  const api = useApi()
  const [before] = useState(() => toValues(tool))
  const form = useForm<ToolValues>({
    initialValues: before,
    validate: { parameters: (text, { kind }) => (kind === 'http' ? jsonError(text) : null) },
  })
  const setSaved = useUnsaved(form.isDirty())
  const conflicts = useConflicts({ merged: ['headers'], labels })
  const saving = useMutation({
    mutationFn: (values: ToolValues) =>
      tool
        ? api.update<ToolWithSecret>(`/tools/${tool.id}`, async (current) => {
            const chosen = await conflicts.choose({ before, mine: values, theirs: toValues(current) })
            return toChanges(before, chosen, current)
          })
        : api.send<ToolWithSecret>('POST', '/tools', toBody(values)),
    onError: (error) => form.setErrors(formErrors(error, fields).fields),
    onSuccess: (saved) => {
      setSaved()
      return onSaved(saved)
    },
  })
  const { kind, url, headers, has_side_effects, confirm } = form.values
  const is_http = kind === 'http'
  const is_moved = headers.some(({ is_stored }) => is_stored) && !isSameOrigin(before.url, url)
  return (
    <form className={styles.form} onSubmit={form.onSubmit((values) => saving.mutate(values))}>
      {conflicts.dialog}
      {saving.error && <ErrorAlert>{formErrors(saving.error, fields).message}</ErrorAlert>}
      {!tool && <Select label="Kind" data={kinds} allowDeselect={false} {...form.getInputProps('kind')} />}
      {!tool && (
        <TextInput
          label="Name"
          description={
            is_http
              ? 'Lower-case letters, digits and _. It can’t be changed.'
              : 'Agents name the server’s tools with this in front, such as crm__search. It can’t be changed.'
          }
          placeholder={is_http ? 'book_slot' : 'crm'}
          required
          data-autofocus
          {...form.getInputProps('name')}
        />
      )}
      <Textarea
        label="Description"
        description={
          is_http
            ? 'Tells the model what the tool does and when to use it.'
            : 'For people. Models get what the server says about each of its tools.'
        }
        placeholder={is_http ? 'Books an appointment. Ask for the day first.' : 'Our customers and orders.'}
        autosize
        minRows={2}
        maxRows={8}
        {...form.getInputProps('description')}
      />
      {is_http ? (
        <>
          <div className={styles.address}>
            <Select label="Method" data={methods} allowDeselect={false} {...form.getInputProps('method')} />
            <TextInput
              label="URL"
              placeholder="https://shop.example/tools/book"
              required
              {...form.getInputProps('url')}
            />
          </div>
          <Textarea
            label="Parameters"
            description="JSON Schema of the arguments, of the type object."
            autosize
            minRows={4}
            maxRows={16}
            spellCheck={false}
            classNames={{ input: styles.code ?? '' }}
            {...form.getInputProps('parameters')}
          />
        </>
      ) : (
        <TextInput
          label="URL"
          description="Of a server that speaks the Model Context Protocol over HTTP."
          placeholder="https://crm.example/mcp"
          required
          {...form.getInputProps('url')}
        />
      )}
      <HeaderFields
        headers={headers}
        error={typeof form.errors.headers === 'string' ? form.errors.headers : undefined}
        hint={
          is_moved
            ? 'Stored values are removed, because the URL’s host has changed. Enter them again.'
            : 'Sent with each request. Values are stored encrypted and never shown again.'
        }
        onChange={(changed) => form.setFieldValue('headers', changed)}
      />
      <NumberInput
        label="Timeout"
        suffix=" ms"
        thousandSeparator=","
        allowDecimal={false}
        allowNegative={false}
        clampBehavior="none"
        hideControls
        required
        {...form.getInputProps('timeout_ms')}
      />
      <Checkbox
        label="Has side effects"
        description="Requests without side effects are repeated once after a failure."
        {...form.getInputProps('has_side_effects', { type: 'checkbox' })}
      />
      {has_side_effects && (
        <Checkbox
          label="May repeat"
          description="Otherwise what has worked is not done again with the same values until the contact has said something."
          {...form.getInputProps('may_repeat', { type: 'checkbox' })}
        />
      )}
      <Checkbox
        label="Ask the contact first"
        description="The agent reads the values back. The tool runs only after a clear yes."
        {...form.getInputProps('confirm', { type: 'checkbox' })}
      />
      <TextInput
        label={confirm ? 'Ask before it runs' : 'Say while it runs'}
        description={
          confirm
            ? 'The agent asks this, with all values. {{day}} stands for the value of day. Blank: the name of the tool.'
            : undefined
        }
        placeholder={confirm ? 'I book {{day}} for you.' : 'One moment, please.'}
        {...form.getInputProps('say_while')}
      />
      <NumberInput
        label="Runs in one answer"
        description={
          has_side_effects
            ? 'At most this many until the contact speaks again: 1 to 100. Blank: 5.'
            : 'At most this many until the contact speaks again: 1 to 100. Blank: as many as the agent may run.'
        }
        allowDecimal={false}
        allowNegative={false}
        clampBehavior="none"
        hideControls
        {...form.getInputProps('calls_max')}
      />
      <FormButtons
        label={tool ? 'Save changes' : 'Create tool'}
        is_pending={saving.isPending}
        errors={form.errors}
        labels={{ ...labels, ...(confirm && { say_while: 'Ask before it runs' }) }}
        hidden={has_side_effects ? [] : ['may_repeat']}
        onCancel={onCancel}
      />
    </form>
  )
}

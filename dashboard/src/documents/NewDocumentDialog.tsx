import { FileInput, SegmentedControl, TagsInput, Textarea, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Document } from '../../../server/documents/schema.ts'
import { useApi } from '../kit/api.ts'
import { Dialog, FormButtons } from '../kit/Dialog.tsx'
import { formErrors } from '../kit/error-messages.ts'
import { LanguageField } from '../kit/LanguageField.tsx'
import { ProgressBar } from '../kit/ProgressBar.tsx'
import { ErrorAlert } from '../kit/states.tsx'
import { useUnsaved } from '../kit/unsaved.tsx'
import styles from './documents.module.css'

type Source = 'file' | 'url' | 'text'

interface Values {
  source: Source
  file: File | null
  url: string
  text: string
  name: string
  language: string
  tags: string[]
}

const empty: Values = { source: 'file', file: null, url: '', text: '', name: '', language: 'en', tags: [] }
const fields = Object.keys(empty)
const kinds = '.txt,.md,.markdown,.html,.htm,.pdf,.docx,.csv,.tsv'

interface NewDocumentDialogProps {
  is_open: boolean
  onClose: () => void
}

export const NewDocumentDialog = ({ is_open, onClose }: NewDocumentDialogProps) => (
  <Dialog is_open={is_open} title="Add document" size="lg" onClose={onClose}>
    <NewDocument onClose={onClose} />
  </Dialog>
)

function NewDocument({ onClose }: Pick<NewDocumentDialogProps, 'onClose'>) {
  const api = useApi()
  const queries = useQueryClient()
  const [sent_percent, setSentPercent] = useState(0)
  const form = useForm<Values>({ initialValues: empty })
  const setSaved = useUnsaved(form.isDirty())
  const creating = useMutation({
    mutationFn: ({ source, file, url, text, name, language, tags }: Values) => {
      const options = { language, tags, ...(name !== '' && { name }) }
      if (source !== 'file' || !file)
        return api.send<Document>('POST', '/documents', { ...options, ...(source === 'url' ? { url } : { text }) })
      setSentPercent(0)
      const body = new FormData()
      body.append('options', JSON.stringify(options))
      body.append('file', file, file.name)
      return api.upload<Document>('/documents', body, setSentPercent)
    },
    onError: (error) => form.setErrors(formErrors(error, fields).fields),
    onSuccess: async () => {
      setSaved()
      onClose()
      await queries.invalidateQueries({ queryKey: [api.workspace, 'documents'] })
    },
  })
  const { source } = form.values
  return (
    <form className={styles.form} onSubmit={form.onSubmit((values) => creating.mutate(values))}>
      {creating.error && <ErrorAlert>{formErrors(creating.error, fields).message}</ErrorAlert>}
      <SegmentedControl
        aria-label="Source"
        data={[
          { value: 'file', label: 'File' },
          { value: 'url', label: 'Web page' },
          { value: 'text', label: 'Text' },
        ]}
        {...form.getInputProps('source')}
      />
      {source === 'file' && (
        <FileInput
          label="File"
          description="Text, Markdown, HTML, PDF, Word or CSV, up to 20 MB."
          placeholder="Choose a file"
          accept={kinds}
          required
          {...form.getInputProps('file')}
        />
      )}
      {source === 'url' && (
        <TextInput
          label="URL"
          description="Fetched once, and again when you refresh it."
          placeholder="https://shop.example/hours"
          required
          {...form.getInputProps('url')}
        />
      )}
      {source === 'text' && (
        <Textarea
          label="Text"
          description="Markdown, or plain text."
          required
          autosize
          minRows={6}
          maxRows={16}
          {...form.getInputProps('text')}
        />
      )}
      <TextInput
        label="Name"
        description={source === 'text' ? undefined : 'By default that of the file, or the URL.'}
        required={source === 'text'}
        {...form.getInputProps('name')}
      />
      <LanguageField
        label="Language"
        value={form.values.language}
        error={form.errors.language?.toString()}
        onChange={(language) => form.setFieldValue('language', language)}
      />
      <TagsInput
        label="Tags"
        description="Agents can be given all documents with a tag."
        maxTags={20}
        {...form.getInputProps('tags')}
      />
      {creating.isPending && source === 'file' && (
        <ProgressBar verb="Uploading" detail={`${sent_percent}%`} percent={sent_percent} />
      )}
      <FormButtons
        label="Add document"
        is_pending={creating.isPending}
        errors={form.errors}
        labels={{ url: 'URL' }}
        onCancel={onClose}
      />
    </form>
  )
}

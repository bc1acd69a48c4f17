import { Button, Textarea } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import type { Tool } from '../../../server/tools/schema.ts'
import { useApi } from '../kit/api.ts'
import { formErrors } from '../kit/error-messages.ts'
import { SendIcon } from '../kit/icons.tsx'
import { jsonError, toJsonText } from '../kit/json.ts'
import { Card } from '../kit/Page.tsx'
import { ErrorAlert } from '../kit/states.tsx'
import { type TestResult, TestResultAlert } from '../kit/TestResultAlert.tsx'
import styles from './tools.module.css'

const fields = ['arguments']

export function ToolTest({ tool }: { tool: Tool }) {
  const api = useApi()
  const form = useForm({
    initialValues: { arguments: toJsonText(sampleArguments(tool.parameters)) },
    validate: { arguments: jsonError },
  })
  const testing = useMutation({
    mutationFn: (values: { arguments: string }) =>
      api.send<TestResult>('POST', `/tools/${tool.id}/test`, { arguments: JSON.parse(values.arguments) }),
    onError: (error) => form.setErrors(formErrors(error, fields).fields),
  })
  return (
    <Card title="Test">
      <form className={styles.form} onSubmit={form.onSubmit((values) => testing.mutate(values))}>
        {testing.error && <ErrorAlert>{formErrors(testing.error, fields).message}</ErrorAlert>}
        <Textarea
          label="Arguments"
          description="Sends a real, signed request to your server."
          autosize
          minRows={3}
          maxRows={16}
          spellCheck={false}
          classNames={{ input: styles.code ?? '' }}
          {...form.getInputProps('arguments')}
        />
        <Button
          type="submit"
          variant="default"
          leftSection={<SendIcon size={17} />}
          loading={testing.isPending}
          className={styles.submit}
        >
          Send test request
        </Button>
        <TestResultAlert result={testing.data} name={tool.name} />
      </form>
    </Card>
  )
}

const samples: Record<string, unknown> = { string: '', number: 0, integer: 0, boolean: false, array: [], object: {} }

/** Makes an empty value for each parameter, to be filled in. */
function sampleArguments({ properties }: Tool['parameters']): Record<string, unknown> {
  const entries: [string, { type?: unknown }][] = Object.entries(Object(properties))
  return Object.fromEntries(entries.map(([name, { type }]) => [name, samples[String(type)] ?? null]))
}

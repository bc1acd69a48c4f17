import { Alert } from '@mantine/core'
import { formatNumber } from './format.ts'
import { AlertIcon, CheckIcon } from './icons.tsx'

/** The response of the API's test operations. */
export interface TestResult {
  is_ok: boolean
  status: number | null
  duration_ms: number
  error: string | null
}

/**
 * Shows the result of a test. The element is in the page before there is a result, so that screen readers announce it.
 */
export function TestResultAlert({ result, name }: { result: TestResult | undefined; name: string }) {
  return (
    <div role="status">
      {result && (
        <Alert
          color={result.is_ok ? 'teal' : 'red'}
          icon={result.is_ok ? <CheckIcon /> : <AlertIcon />}
          title={`${name} ${result.is_ok ? 'responded' : 'failed'}${result.status === null ? '' : ` · HTTP ${result.status}`}`}
        >
          {result.error ?? `It took ${formatNumber(result.duration_ms)} ms.`}
        </Alert>
      )}
    </div>
  )
}

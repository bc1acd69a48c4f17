import { type ComponentType, type FunctionComponent, lazy, type ReactNode, Suspense, useEffect } from 'react'
import { showErrorMessage } from './toast.ts'

/** A part of a page, such as a dialog, whose code is loaded when it is shown. If it can't be loaded, the page stays as it is. */
export function lazyPart<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  fallback?: ReactNode,
): FunctionComponent<Props> {
  const Part = lazy<ComponentType<Props>>(async () => ({ default: await load().catch(() => MissingPart) }))
  return (props) => (
    <Suspense fallback={fallback}>
      <Part {...props} />
    </Suspense>
  )
}

function MissingPart() {
  useEffect(() => showErrorMessage('Couldn’t load this. Reload the page and try again.'), [])
  return null
}

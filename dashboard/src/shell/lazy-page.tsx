import type { AsyncRouteComponent } from '@tanstack/react-router'
import { type ComponentType, use } from 'react'

/** Says that the code of a page could not be loaded: the server is down, or a newer version has replaced the file. */
export class PageCodeMissing extends Error {}

/**
 * Makes a page whose code is loaded when it is opened. After a failure only a reload helps, which PageError does:
 * browsers remember modules that failed, and Vite the style sheets that it has asked for.
 */
export function lazyPage<Module, Name extends keyof Module & string>(
  load: () => Promise<Module>,
  name: Name,
): AsyncRouteComponent<unknown> {
  let loading: Promise<void> | undefined
  let Loaded: ComponentType | undefined
  let failure: Error | undefined
  const preload = () => {
    loading ??= load().then(
      (module) => {
        Loaded = module[name] as ComponentType
        pageHasLoaded()
      },
      (error) => {
        failure = new PageCodeMissing(String(error))
      },
    )
    return loading
  }
  function LazyPage() {
    if (failure) throw failure
    if (!Loaded) use(preload())
    if (failure) throw failure
    return Loaded && <Loaded />
  }
  return Object.assign(LazyPage, { preload })
}

const key = 'parley-reloaded-for'

const pageHasLoaded = (): void => sessionStorage.removeItem(key)

/** Reloads the page once for each address. Returns whether it does. */
export function reloadOnce(): boolean {
  if (sessionStorage.getItem(key) === location.pathname) return false
  sessionStorage.setItem(key, location.pathname)
  location.reload()
  return true
}

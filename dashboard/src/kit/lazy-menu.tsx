import {
  type ComponentType,
  cloneElement,
  type FunctionComponent,
  lazy,
  type ReactElement,
  type Ref,
  Suspense,
  useEffect,
  useRef,
  useState,
} from 'react'
import { showErrorMessage } from './toast.ts'

/** The element that opens a menu, or something like it, by a click. */
export type Target = ReactElement<{
  ref?: Ref<HTMLButtonElement>
  'aria-haspopup'?: 'menu' | 'dialog'
  'aria-expanded'?: boolean
  onClick?: () => void
  onPointerEnter?: () => void
  onFocus?: () => void
}>

/**
 * Makes a button with a menu whose code is loaded when the pointer or the focus reaches the button. The menu gets the
 * button as `target`, which takes the place of the one that was clicked.
 */
export function lazyMenu<Props extends { target: Target }>(
  load: () => Promise<ComponentType<Props>>,
  popup: 'menu' | 'dialog' = 'menu',
): FunctionComponent<Props> {
  let loading: Promise<ComponentType<Props>> | undefined
  const preload = () => {
    loading ??= load().catch(() => MissingMenu)
    return loading
  }
  const Menu = lazy<ComponentType<Props>>(async () => ({ default: await preload() }))

  /**
   * Renders the menu, and passes on the click that has asked for it. The focus returns to the button when the menu
   * closes.
   */
  function ClickedMenu(props: Props) {
    const button = useRef<HTMLButtonElement>(null)
    const is_clicked = useRef(false)
    useEffect(() => {
      if (is_clicked.current) return
      is_clicked.current = true
      button.current?.focus()
      button.current?.click()
    }, [])
    return <Menu {...props} target={cloneElement(props.target, { ref: button })} />
  }

  return (props) => {
    const [is_wanted, setWanted] = useState(false)
    const button = cloneElement(props.target, {
      'aria-haspopup': popup,
      'aria-expanded': false,
      onClick: () => setWanted(true),
      onPointerEnter: () => void preload(),
      onFocus: () => void preload(),
    })
    if (!is_wanted) return button
    return (
      <Suspense fallback={button}>
        <ClickedMenu {...props} />
      </Suspense>
    )
  }
}

const MissingMenu = ({ target }: { target: Target }) =>
  cloneElement(target, { onClick: () => showErrorMessage('Couldn’t load this menu. Reload the page and try again.') })

import '@xyflow/react/dist/style.css'
import { useComputedColorScheme } from '@mantine/core'
import {
  Background,
  Controls,
  type Edge,
  Handle,
  type Node,
  type NodeProps,
  Position,
  ReactFlow,
  useReactFlow,
} from '@xyflow/react'
import { useEffect, useMemo } from 'react'
import styles from './script.module.css'
import { type Exit, end_names, exitsOf, type Script, targetName } from './script.ts'

/** As script.module.css has them. */
const [width, gap_x, gap_y, head_height, exit_height] = [250, 90, 28, 74, 26]

/** Of more steps only those in view are rendered. */
const rendered_max = 60

type Step = Node<{
  name: string
  says: string
  is_start: boolean
  exits: Exit[]
  is_current: boolean
  onOpen: (name: string) => void
}>

interface ScriptMapProps {
  script: Script
  greeting: string
  /** Lit up, and moved into view. */
  current: string | undefined
  onOpen: (name: string) => void
}

/** Steps from left to right, in as many columns as it takes to reach them. */
export function ScriptMap({ script, greeting, current, onOpen }: ScriptMapProps) {
  const nodes = useMemo(
    () => layOut(script, greeting, current, onOpen),
    [script, greeting, current, onOpen],
  )
  const edges = useMemo(() => edgesOf(script), [script])
  return (
    <section className={styles.map} aria-label="Map">
      <ReactFlow
        nodes={nodes}
        edges={edges}
        nodeTypes={node_types}
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        elementsSelectable={false}
        // The start is at the top left. All of it would be too small to read.
        defaultViewport={{ x: 16, y: 16, zoom: 0.85 }}
        colorMode={useComputedColorScheme('light')}
        minZoom={0.1}
        onlyRenderVisibleElements={nodes.length > rendered_max}
      >
        <Background />
        <ShowCurrent nodes={nodes} />
        <Controls showInteractive={false} />
      </ReactFlow>
    </section>
  )
}

/** Not a part of the step, which isn't rendered while it is out of view. */
function ShowCurrent({ nodes }: { nodes: Step[] }) {
  const { setCenter, getZoom } = useReactFlow()
  const current = nodes.find(({ data }) => data.is_current)
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when another step becomes the current one
  useEffect(() => {
    if (!current) return
    const { position, initialHeight = 0 } = current
    void setCenter(position.x + width / 2, position.y + initialHeight / 2, { zoom: getZoom() })
  }, [current?.id])
  return null
}

function StepNode({ data, positionAbsoluteX: x, positionAbsoluteY: y }: NodeProps<Step>) {
  const { name, says, is_start, exits, onOpen } = data
  const { setCenter, getZoom } = useReactFlow()
  const show = () =>
    void setCenter(x + width / 2, y + (head_height + exits.length * exit_height) / 2, { zoom: getZoom() })
  return (
    <div className={styles.mapStep} aria-current={data.is_current ? 'step' : undefined}>
      <Handle type="target" position={Position.Left} className={styles.handle} />
      <button
        type="button"
        className={styles.mapHead}
        onClick={() => onOpen(name)}
        onFocus={({ currentTarget }) => {
          // The keyboard can reach a step that is out of view.
          if (currentTarget.matches(':focus-visible')) show()
        }}
      >
        <strong>
          {name}
          {is_start && ' · Start'}
        </strong>
        <span>{says}</span>
      </button>
      {exits.map(({ why, go }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two exits can be equal
        <div key={index} className={styles.mapExit} title={why}>
          <span>{why}</span>
          {go !== undefined && end_names.has(go) && <em>{targetName(go)}</em>}
          <Handle type="source" position={Position.Right} id={String(index)} className={styles.handle} />
        </div>
      ))}
    </div>
  )
}

const node_types = { step: StepNode }

function layOut(
  { start, nodes }: Script,
  greeting: string,
  current: string | undefined,
  onOpen: (name: string) => void,
): Step[] {
  const columns = columnsOf({ start, nodes })
  const bottoms: number[] = []
  return Object.entries(nodes).map(([name, node]) => {
    const column = columns.get(name) ?? 0
    const exits = exitsOf(node)
    const y = bottoms[column] ?? 0
    const height = head_height + exits.length * exit_height
    bottoms[column] = y + height + gap_y
    const own = node.say ?? (node.tool === undefined ? '' : `Calls ${node.tool}`)
    const says = name === start && greeting ? `Greeting: “${greeting}”` : own
    return {
      id: name,
      type: 'step',
      // Known before it is rendered, so that its edges can be drawn.
      initialWidth: width,
      initialHeight: height,
      handles: [
        { type: 'target', position: Position.Left, x: 0, y: height / 2 },
        ...exits.map((_, exit) => ({
          id: String(exit),
          type: 'source' as const,
          position: Position.Right,
          x: width,
          y: head_height + (exit + 0.5) * exit_height,
        })),
      ],
      position: { x: column * (width + gap_x), y },
      data: { name, says, is_start: name === start, exits, is_current: name === current, onOpen },
    }
  })
}

/** How many steps after the start each one is. What nothing leads to is in the first column. */
function columnsOf({ start, nodes }: Script): Map<string, number> {
  const columns = new Map([[start, 0]])
  // A map also lists what is added while it is read.
  for (const [name, column] of columns)
    for (const { go } of exitsOf(nodes[name] ?? {}))
      if (go !== undefined && Object.hasOwn(nodes, go) && !columns.has(go)) columns.set(go, column + 1)
  return columns
}

const edgesOf = ({ nodes }: Script): Edge[] =>
  Object.entries(nodes).flatMap(([name, node]) =>
    exitsOf(node).flatMap(({ go }, index) =>
      go !== undefined && Object.hasOwn(nodes, go)
        ? [{ id: `${name} ${index}`, source: name, sourceHandle: String(index), target: go }]
        : [],
    ),
  )

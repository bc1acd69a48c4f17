import type { At, Tool } from '../../server/kit/at.ts'

/** The same `at` with another value of a tool. Others of the service keep theirs. */
export function withTool<A extends At, T>(at: A, tool: Tool<T>, value: T): A {
  const tools = { ...at.tools, opened: new Map(at.tools.opened) }
  tool.set({ tools }, value)
  return { ...at, tools }
}

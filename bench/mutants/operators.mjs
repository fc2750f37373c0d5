/**
 * Finds the places of a source file that can be mutated, and writes the file with the chosen ones compiled in.
 *
 * A mutant is `(globalThis.$m?.(7) ? mutated : original)`: all mutants are in the code together, and a run turns on one of them by its
 * number.
 */
import ts from 'typescript'

const swaps = new Map([
  [ts.SyntaxKind.EqualsEqualsEqualsToken, '!=='],
  [ts.SyntaxKind.ExclamationEqualsEqualsToken, '==='],
  [ts.SyntaxKind.LessThanToken, '<='],
  [ts.SyntaxKind.LessThanEqualsToken, '<'],
  [ts.SyntaxKind.GreaterThanToken, '>='],
  [ts.SyntaxKind.GreaterThanEqualsToken, '>'],
  [ts.SyntaxKind.AmpersandAmpersandToken, '||'],
  [ts.SyntaxKind.BarBarToken, '&&'],
  [ts.SyntaxKind.MinusToken, '+'],
])

/** The mutants of a file: `{ start, end, line, from, to }`, with the text before and after. */
export function sitesOf(text, name) {
  const file = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true)
  const sites = []
  const add = (node, to) => {
    const start = node.getStart(file)
    const line = file.getLineAndCharacterOfPosition(start).line + 1
    const opensStatement = startsStatement(node, start, file)
    sites.push({ start, end: node.end, line, from: text.slice(start, node.end), to, opensStatement })
  }
  const visit = (node) => {
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return
    mutate(node, add, (one) => text.slice(one.getStart(file), one.end))
    ts.forEachChild(node, visit)
  }
  visit(file)
  return sites
}

/** Whether a statement begins with it: without semicolons, a parenthesis there would call the value before it. */
function startsStatement(node, start, file) {
  if (ts.isExpressionStatement(node)) return true
  return !ts.isSourceFile(node) && node.getStart(file) === start && startsStatement(node.parent, start, file)
}

function mutate(node, add, textOf) {
  const { parent } = node
  if (ts.isBinaryExpression(node)) {
    const swap = swaps.get(node.operatorToken.kind)
    if (swap) add(node, `${textOf(node.left)} ${swap} ${textOf(node.right)}`)
    // Mixed with `&&`, the swap above would need parentheses; `??` keeps its left side only.
    if (node.operatorToken.kind === ts.SyntaxKind.QuestionQuestionToken) add(node, textOf(node.left))
    if (node.operatorToken.kind === ts.SyntaxKind.PlusToken && ts.isNumericLiteral(node.right))
      add(node, textOf(node.left))
  } else if (ts.isConditionalExpression(node)) {
    add(node, textOf(node.whenTrue))
    add(node, textOf(node.whenFalse))
  } else if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken) {
    add(node, textOf(node.operand))
  } else if (ts.isIfStatement(node)) {
    add(node.expression, 'true')
    add(node.expression, 'false')
  } else if (ts.isSpreadAssignment(node)) {
    add(node.expression, '{}')
  } else if (ts.isPropertyAssignment(node) && !isConstant(node.initializer)) {
    add(node.initializer, 'undefined')
  } else if (ts.isExpressionStatement(node) && ts.isCallExpression(node.expression) && textOf(node) !== 'super()') {
    if (!textOf(node.expression).startsWith('super(')) add(node.expression, 'undefined')
  } else if (node.kind === ts.SyntaxKind.TrueKeyword && !ts.isLiteralTypeNode(parent)) {
    add(node, 'false')
  } else if (node.kind === ts.SyntaxKind.FalseKeyword && !ts.isLiteralTypeNode(parent)) {
    add(node, 'true')
  } else if (
    ts.isNumericLiteral(node) &&
    !ts.isPropertyAssignment(parent) &&
    !ts.isBindingElement(parent) &&
    !ts.isLiteralTypeNode(parent)
  ) {
    add(node, `${textOf(node)} + 1`)
  } else if (ts.isArrayLiteralExpression(node) && node.elements.length > 0 && !isTarget(node)) {
    add(node, '[]')
  }
}

/** Texts and numbers in tables: their mutants test the table, not the code. */
function isConstant(node) {
  const isUndefined = ts.isIdentifier(node) && node.text === 'undefined'
  return isUndefined || ts.isLiteralExpression(node) || ts.isFunctionLike(node) || ts.isObjectLiteralExpression(node)
}

/** Whether a literal is the left side of an assignment: `[a, b] = c`. */
function isTarget(node) {
  return (
    ts.isBinaryExpression(node.parent) &&
    node.parent.left === node &&
    node.parent.operatorToken.kind === ts.SyntaxKind.EqualsToken
  )
}

/** The file with these mutants compiled in. Each has a `number`. Mutants may be nested. */
export function compileIn(text, mutants) {
  const outermost = mutants
    .filter((one) => !mutants.some((other) => contains(other, one)))
    .sort((a, b) => b.start - a.start)
  let out = text
  for (const one of outermost) {
    const inner = mutants.filter((other) => contains(one, other))
    const shifted = inner.map((other) => ({ ...other, start: other.start - one.start, end: other.end - one.start }))
    const original = compileIn(text.slice(one.start, one.end), shifted)
    const opening = one.opensStatement ? '0, ' : ''
    out = `${out.slice(0, one.start)}${opening}(globalThis.$m?.(${one.number}) ? (${one.to}) : (${original}))${out.slice(one.end)}`
  }
  return out
}

/** Whether `outer` is another mutant around `inner`. If both have the same position, the one with the lower number is outside. */
function contains(outer, inner) {
  if (outer === inner || outer.start > inner.start || outer.end < inner.end) return false
  return outer.start < inner.start || outer.end > inner.end || outer.number < inner.number
}

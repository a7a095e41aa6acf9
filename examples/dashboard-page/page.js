// The page itself, which runs in the browser. It imports nothing: what it needs, it gets.

export default ({ html, format, useData, Empty, Loading, Page, Panel, Problem, Table }) => {
  const columns = [
    { head: 'Model', cell: row => row.model },
    { head: 'Input tokens', cell: row => format.compact(row.input_tokens), align: 'end' },
    { head: 'From caches', cell: row => format.percent(row.cached_tokens / row.input_tokens), align: 'end' },
  ]

  return function CacheUse() {
    const { data, error, reload } = useData('/usage', { bucket: 'day', group_by: 'model' }, { pollMs: 10_000 })
    if (error) return html`<${Problem} error=${error} retry=${reload} />`
    if (!data) return html`<${Loading} />`
    const empty = html`<${Empty} title="No model was asked in the last day" />`
    return html`<${Page} title="Cache use" intro="The share of input that models read from their prompt caches in the last day.">
      <${Panel} flush>
        <${Table}
          label="Models"
          columns=${columns}
          rows=${data.data.filter(row => row.input_tokens > 0)}
          rowKey=${row => `${row.at} ${row.model}`}
          empty=${empty}
        />
      <//>
    <//>`
  }
}

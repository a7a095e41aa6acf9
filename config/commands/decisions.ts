import { readFileSync, writeFileSync } from 'node:fs'
import { calibrate, fewestExamples, types, type Calibration } from '../../plugins/decisions/llm/calibration/calibration.ts'
import { diagram } from '../../plugins/decisions/llm/calibration/diagram.ts'
import { readExamples, type Example } from '../../plugins/decisions/llm/calibration/examples.ts'
import { judgeExamples } from '../../plugins/decisions/llm/calibration/judging.ts'
import { maxTemperature, lowestTemperature } from '../../plugins/decisions/llm/calibration/temperature.ts'
import { judgeBy, openCalibrationGateway } from '../calibration-gateway.ts'
import { command, commandGroup, configOption, numberFrom, type ConfigOption } from '../command.ts'
import { ConfigError } from '../errors.ts'
import { loadConfig } from '../load.ts'

interface CalibrateOptions extends ConfigOption {
  readonly model: string
  readonly examples: string
  readonly output?: string
  readonly concurrency: number
}

const calibrateCommand = command(
  'calibrate',
  'Fit the temperatures of a decision model to examples, and measure how reliable its probabilities are.',
)
  .addOption(configOption())
  .requiredOption('--model <name>', 'The decision model, such as llm/judge.')
  .requiredOption('--examples <file>', 'JSON lines of {"state", "question", "answer"}. Answers: true or false, an option, or a level.')
  .option('--output <file>', 'Write a reliability diagram (SVG) here.')
  .option(
    '--concurrency <number>',
    'How many examples to run at a time.',
    numberFrom('a number from 1 to 256', number => Number.isInteger(number) && number >= 1 && number <= 256),
    4,
  )
  .action(calibrateModel)

export default commandGroup('decisions', 'Work with decision models.').addCommand(calibrateCommand)

async function calibrateModel({ config, model, examples: file, output, concurrency }: CalibrateOptions): Promise<void> {
  const examples = examplesIn(file)
  refuseFew(examples, file)
  const gateway = await openCalibrationGateway(await loadConfig(config))
  try {
    const judged = await judgeExamples(examples, await judgeBy(gateway, model, file), concurrency)
    const calibrations = calibrate(judged)
    console.log(report(model, calibrations))
    if (output !== undefined) {
      write(output, diagram(model, calibrations))
      console.log(`\nThe reliability diagram is in ${output}.`)
    }
  } finally {
    await gateway.stop()
  }
}

function examplesIn(file: string): readonly Example[] {
  const { examples, problems } = readExamples(read(file))
  if (problems.length > 0) throw new ConfigError(file, problems)
  if (examples.length > 0) return examples
  throw new ConfigError(file, ['It has no examples. Expected one on each line: {"state": …, "question": {…}, "answer": …}'])
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new ConfigError(file, [`It cannot be read (${code}). --examples takes the path of a file of JSON lines.`])
  }
}

function refuseFew(examples: readonly Example[], file: string): void {
  const problems = types.flatMap(type => {
    const count = examples.filter(({ question }) => question.type === type).length
    return count === 0 || count >= fewestExamples
      ? []
      : [`It has too few examples of ${type}: ${count}. At least ${fewestExamples} are needed; hundreds are better.`]
  })
  if (problems.length > 0) throw new ConfigError(file, problems)
}

function report(model: string, calibrations: readonly Calibration[]): string {
  const rows = calibrations.map(({ type, fitted, held, temperature, before, after }) =>
    [
      type.padEnd(7),
      `${fitted} + ${held}`.padEnd(14),
      temperature.toFixed(3).padStart(11),
      `${before.error.toFixed(4)} → ${after.error.toFixed(4)}`,
    ].join('  '),
  )
  const temperatures = calibrations.map(({ type, temperature }) => `${type}: ${Number(temperature.toFixed(3))}`)
  const atLimit = calibrations.filter(({ temperature }) => temperature < lowestTemperature * 1.01 || temperature > maxTemperature / 1.01)
  return [
    `${model}: temperatures by maximum likelihood; errors on the held-back examples`,
    '',
    'type     fit + held      temperature  expected calibration error',
    ...rows,
    '',
    'For the config, to replace any temperatures there:',
    `  temperature: { ${temperatures.join(', ')} }`,
    ...atLimit.map(
      ({ type }) =>
        `\nThe temperature of ${type} is at the limit of the search: there are too few examples, or they are too easy or mislabeled.`,
    ),
  ].join('\n')
}

function write(file: string, text: string): void {
  try {
    writeFileSync(file, text)
  } catch (error) {
    throw new ConfigError(file, [
      `It cannot be written (${(error as NodeJS.ErrnoException).code}). --output takes the path of a file in a folder that exists.`,
    ])
  }
}

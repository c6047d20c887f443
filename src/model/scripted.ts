// Scripted models: their words come from a script, so nobody is paid for them, whatever model the script stands for.

/** The provider of a scripted model, in every event that names one. */
export const scriptProvider = 'script'

export type NamedModel = { provider?: string | undefined; model?: string | undefined }

export const isScripted = ({ provider, model }: NamedModel): boolean =>
  provider === scriptProvider || model?.startsWith(`${scriptProvider}/`) === true

/** The model as people read it. */
export const modelText = (model: string, scripted: boolean | undefined): string => (scripted === true ? `${model} (scripted)` : model)

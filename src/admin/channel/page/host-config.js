// @ts-check

/**
 * What the renderer needs to know of the page: sizes and the colours of one scheme.
 * @param {boolean} dark
 */
export function hostConfig(dark) {
  const text = dark ? '#f0f3f4' : '#1b2529';
  const subtle = dark ? '#a4b0b5' : '#5b6a70';
  const container = {
    backgroundColor: dark ? '#1f292d' : '#ffffff',
    foregroundColors: {
      default: { default: text, subtle },
      accent: { default: dark ? '#5cc8d7' : '#0b6573', subtle: dark ? '#5cc8d7' : '#0b6573' },
      good: { default: dark ? '#6fd08c' : '#1b7f3b', subtle: dark ? '#6fd08c' : '#1b7f3b' },
      warning: { default: dark ? '#f3c05a' : '#8a5a00', subtle: dark ? '#f3c05a' : '#8a5a00' },
      attention: { default: dark ? '#ff8f85' : '#b3261e', subtle: dark ? '#ff8f85' : '#b3261e' },
      light: { default: subtle, subtle },
      dark: { default: text, subtle },
    },
  };
  const raised = (/** @type {string} */ backgroundColor) => ({ ...container, backgroundColor });
  return {
    fontFamily: 'inherit',
    supportsInteractivity: true,
    spacing: { small: 4, default: 8, medium: 12, large: 16, extraLarge: 24, padding: 12 },
    separator: { lineThickness: 1, lineColor: dark ? '#38454a' : '#dfe6e8' },
    fontSizes: { small: 12, default: 14, medium: 15, large: 17, extraLarge: 22 },
    fontWeights: { lighter: 300, default: 400, bolder: 600 },
    imageSizes: { small: 32, medium: 52, large: 120 },
    containerStyles: {
      default: container,
      emphasis: raised(dark ? '#273338' : '#f3f7f8'),
      good: raised(dark ? '#1e3527' : '#e8f6ec'),
      attention: raised(dark ? '#3d2322' : '#fdecea'),
      warning: raised(dark ? '#3a3019' : '#fdf4e0'),
      accent: raised(dark ? '#17353a' : '#e4f4f6'),
    },
    actions: {
      maxActions: 6,
      spacing: 'medium',
      buttonSpacing: 8,
      showCard: { actionMode: 'inline', inlineTopMargin: 12, style: 'emphasis' },
      actionsOrientation: 'horizontal',
      actionAlignment: 'left',
    },
    adaptiveCard: { allowCustomStyle: false },
    factSet: {
      title: {
        color: 'default',
        size: 'default',
        isSubtle: true,
        weight: 'default',
        wrap: true,
        maxWidth: 240,
      },
      value: { color: 'default', size: 'default', isSubtle: false, weight: 'default', wrap: true },
      spacing: 16,
    },
  };
}

"""EinStein würfelt nicht! (I. Althöfer, 2004), and its form on 3 by 3 squares with three stones."""

{% macro cubic(c) %}y * y * (y * {{ c[0] }} + 3 * x * {{ c[1] }}) + x * x * (3 * y * {{ c[2] }} + x * {{ c[3] }}){% endmacro %}
/* {{ title }} */
#include <math.h>

/* Chances of a win, a draw and a loss for the side to move.
   score: score for the side to move, in {{ game.scores.unit | comment }}
   progress: progress of the game, from 0 at the start to 1 at the end */
static void win_draw_loss(double score, double progress, double chances[3])
{
    const double part = (progress - {{ wdl.first }}) / ({{ wdl.last }} - {{ wdl.first }});
    const double x = part < 0 ? 0 : part > 1 ? 1 : part, y = 1 - x;
    const double a = {{ cubic(wdl.a) }};
    const double b = {{ cubic(wdl.b) }};
    chances[0] = 1 / (1 + exp((a - score) / b));
    chances[2] = 1 / (1 + exp((a + score) / b));
    chances[1] = fmax(0, 1 - chances[0] - chances[2]);
}

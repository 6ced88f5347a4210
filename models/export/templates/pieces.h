{% extends "header.h" %}
{% from "layers.h" import kept, layers_of %}
{% set codes = 64 * board.words %}
{% set squared = shape.activation == "screlu" %}
{% block what %}an efficiently updatable network (NNUE){% endblock %}
{% block reads %}int left, const unsigned long long *words{% endblock %}
{% block about %}
   `left`: {{ left }}, 0 to {{ game.most_left }}.
   `words`: {{ board.words }} numbers of 64 bits, the pieces of the board as the side to move sees it:
{% for words, sign, whose in words %}
     {{ words }}: {{ sign | comment }} of {{ whose }}
{% endfor %}
{% if board.words_each > 1 %}
   Bits from 64 on are in the next word.
{% endif %}
   The bit of each square, row by row from the top:
{% for row in bits %}
     {{ row | join(" ") }}
{% endfor %}
   The other side sees the board {{ seen }}.
   Squares here are what the side to move sees: if the second player is to move, turn them so first.
{% endblock %}
{% block helpers %}
{% if kings %}
static int {{ name }}_view(const unsigned long long *words, const int *views)
{
    int view = 0;
    for (int bit = 0; bit < {{ 64 * board.words_each }}; bit++)
        if (words[bit / 64] >> bit % 64 & 1 && views[bit] > view)
            view = views[bit];
    return view;
}

{% endif %}
static void {{ name }}_half(const unsigned long long *words, const int *row_of, long long *values)
{
    for (int u = 0; u < {{ shape.units }}; u++)
        values[u] = {{ name }}_biases[u];
    for (int code = 0; code < {{ codes }}; code++)
        if (words[code / 64] >> code % 64 & 1 && row_of[code] < {{ inputs }})
            for (int u = 0; u < {{ shape.units }}; u++)
                values[u] += {{ name }}_rows[row_of[code]][u];
    for (int u = 0; u < {{ shape.units }}; u++) {
        long long sum = ((values[u] + 32768) & 65535) - 32768; /* sums have 16 bits and wrap */
        sum = {{ kept("sum", one) }};
        values[u] = {{ "sum * sum" if squared else "sum" if shape.hidden else "sum * %d" % one }}{{ " / %d" % one if squared and shape.hidden }};
    }
}

{% endblock %}
{% block score %}
    long long values_0[{{ 2 * shape.units }}];
    int mine = {{ "%s_view(words + %d, %s_views[0])" % (name, kings.words[0], name) if kings else 0 }}; /* how the half of the side to move sees the board */
    int theirs = {{ "%s_view(words + %d, %s_views[1])" % (name, kings.words[1], name) if kings else 0 }};
    const int *numbers = {{ name }}_layers[({{ kept("left", game.most_left) }}) * {{ shape.buckets }} / {{ game.most_left + 1 }}];
    {{ name }}_half(words, {{ name }}_row_of[2 * mine], values_0);
    {{ name }}_half(words, {{ name }}_row_of[2 * theirs + 1], values_0 + {{ shape.units }});
{{ layers_of(shape.layers, "long long", activated) }}
{% if shape.hidden %}
    return (float)(values_{{ shape.layers.pairs | length }}[0] * {{ one }}) * {{ worth.hex() }}f; /* {{ "%.9g" % worth }} */
{% else %}
    return (float)(values_1[0] + {{ one - 1 }} * (long long)numbers[0]) * {{ worth.hex() }}f; /* {{ "%.9g" % worth }} */
{% endif %}
{% endblock %}
